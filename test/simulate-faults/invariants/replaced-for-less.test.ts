import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../core/model/options.ts';
import { DAEMON_CPU, UNIT_CPU } from '../node-sizes.ts';
import type { Stage } from './invariant.ts';
import { watchReplacedForLess } from './replaced-for-less.ts';

interface Told {
  readonly expander?: string;
  /** Units of a node of the group that the replacement is of. */
  readonly replacement?: number;
  /** Had its last launch failed when the node was bought? */
  readonly failed?: boolean;
  readonly launchedSince?: boolean;
  readonly paused?: boolean;
  /** Was the node bought for a command? */
  readonly forCommand?: boolean;
}

/** A node of eight units is bought, and replaced by one of another group. */
function isReplaced(told: Told): boolean {
  const { expander = 'price', replacement = 8, failed = false, launchedSince = false } = told;
  const group = (name: string, units: number) => ({ name, allocatable: { cpu: units * UNIT_CPU + DAEMON_CPU } });
  const groups = [group('first', 8), group('other', replacement)];
  const command = { nodes: ['n'], replacement: told.forCommand === true ? 'first' : 'other' };
  const watch = watchReplacedForLess({
    scenario: {
      options: { ...defaultOptions(), expander: [expander] },
      pools: [{ name: 'red', units: 8, groups: ['first', 'other'] }],
      groups,
    },
    world: { scaling: { groups: () => groups.map((one) => ({ group: one, paused: told.paused === true })) } },
    remembered: () => ({ state: { disruptions: told.forCommand === true ? [command] : [] } }),
  } as unknown as Stage);
  const event = (kind: string, of: string, instance = ''): void => watch.event({ kind, group: of, instance } as never);
  if (failed) {
    event('LaunchFailed', 'other');
  }
  if (launchedSince) {
    event('InstanceLaunched', 'other', 'i-2');
  }
  watch.committed({ intents: [{ kind: 'SetSize', group: 'first', from: 0, to: 1 }] } as never, []);
  event('InstanceLaunched', 'first', 'i-1');
  const removal = { kind: 'RemoveNodes', group: 'first', nodes: [{ node: 'n', instance: 'i-1', kind: 'drain' }] };
  const carriedOut = { command: { ...command, replacement: 'other' }, nodes: ['n'] };
  watch.committed({ intents: [removal] } as never, [carriedOut] as never);
  return watch.isReplaced('i-1' as never);
}

describe('a node that consolidation replaces by one of another group', () => {
  test.each<readonly [string, Told]>([
    ['its launch had failed when the node was bought', { failed: true }],
    ['it was paused', { paused: true }],
    ['its nodes are smaller, and the expander does not go by cost', { expander: 'random', replacement: 4 }],
  ])('that could not or was not to be bought: %s', (_, told) => {
    expect(isReplaced(told)).toBe(true);
  });

  test.each<readonly [string, Told]>([
    ['where nothing kept it', {}],
    ['of smaller nodes, where the expander goes by cost', { replacement: 4 }],
    ['as large, whatever the expander', { expander: 'random' }],
    ['where a launch had failed, and another one had not', { failed: true, launchedSince: true }],
    ['where the node was bought for a command', { failed: true, forCommand: true }],
  ])('that could have been: %s', (_, told) => {
    expect(isReplaced(told)).toBe(false);
  });
});
