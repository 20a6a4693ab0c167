import { describe, expect, test } from 'vitest';
import type { Intent } from '../../../core/model/intent.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { CPU, MEMORY } from '../../../core/model/values/resources.ts';
import type { ProviderName } from '../../../core/model/provider.ts';
import type { GroupView, SimulatedInstance } from '../../../providers/simulated/auto-scaling.ts';
import { sizeIntent } from '../../scenario-builders.ts';
import type { Stage } from './invariant.ts';
import { limitsKept } from './limits-kept.ts';

const MINUTE = 60_000;
const NOW = epochMs(60 * MINUTE);

const CAPACITY = { [CPU]: 1_000, [MEMORY]: 2 ** 30 };
const ALLOCATABLE = { [CPU]: 1_000, [MEMORY]: 2 ** 29 };

/** It has not become a node yet. */
const coming = (minutesAgo: number, failed: boolean): SimulatedInstance => ({
  id: instanceId(`i-${minutesAgo}`),
  zone: 'a',
  launchedAt: NOW - minutesAgo * MINUTE,
  state: 'Creating',
  node: null,
  failed,
});

const viewOf = (name: string, instances: readonly SimulatedInstance[], more: Partial<GroupView> = {}): GroupView =>
  ({
    group: { name: groupName(name), minSize: 0, maxSize: 9, capacity: CAPACITY, allocatable: ALLOCATABLE },
    desired: instances.length,
    instances,
    error: null,
    ...more,
  }) as unknown as GroupView;

/** The number of violations when a group grows by a node in a cluster that may have one node, or so many. */
function found(
  one: GroupView,
  given: {
    readonly open?: readonly Intent[];
    readonly to?: number;
    readonly changedAgo?: number;
    /** Of the first group, as far as is known. */
    readonly lastFailure?: number;
    readonly most?: number;
    /** A node came so many minutes ago, and was there when nodes were read, or was not. */
    readonly cameAgo?: number;
    readonly wasRead?: boolean;
    readonly provider?: ProviderName;
    /** Memory, in GiB. */
    readonly memory?: number;
  } = {},
): number {
  const violations: string[] = [];
  const decided = sizeIntent('other', 0, given.to ?? 1, { id: '9-other' });
  const stage = {
    world: {
      provider: given.provider ?? 'aws',
      api: { nodes: new Map([['n', { name: 'n', createdAt: NOW - (given.cameAgo ?? 30) * MINUTE }]]) },
      clock: { now: () => NOW },
      scaling: { groups: () => [one, viewOf('other', [])] },
    },
    orders: { open: () => [...(given.open ?? []), decided] },
    scenario: {
      options: {
        ...defaultOptions(),
        maxNodesTotal: given.most ?? 1,
        ...(given.memory !== undefined && { memoryTotal: { min: 0, max: given.memory } }),
      },
    },
  } as unknown as Stage;
  const {
    event,
    decided: tell,
    committed,
  } = limitsKept.watch(
    stage,
    (what) => violations.push(what),
    () => {},
  );
  if (given.changedAgo !== undefined) {
    event!({ kind: 'Tagged', at: epochMs(NOW - given.changedAgo * MINUTE), group: groupName('one') });
  }
  const backoff = given.lastFailure === undefined ? {} : { one: { lastFailure: given.lastFailure } };
  const state = { backoff };
  const nodes = given.wasRead === false ? [] : [{ name: 'n' }];
  tell!({ objects: { nodes } } as never, { state } as never);
  committed!({ intents: [decided], state } as never);
  return violations.length;
}

test.each([
  { what: 'that starts', instance: coming(2, false), violations: 1 },
  { what: 'that has failed for good', instance: coming(2, true), violations: 0 },
  { what: 'that has not come in time', instance: coming(20, false), violations: 0 },
])('beside an instance $what a group grows beyond the limit: $violations', ({ instance, violations }) => {
  expect(found(viewOf('one', [instance]))).toBe(violations);
});

test('a group that grows by more than the limit leaves is found, and one that grows by as much is not', () => {
  expect(found(viewOf('one', []))).toBe(0);
  expect(found(viewOf('one', []), { to: 2 })).toBe(1);
});

describe('beside another group', () => {
  const refused = { desired: 1, error: { code: 'InsufficientInstanceCapacity' } } as unknown as Partial<GroupView>;
  const lowered = sizeIntent('one', 1, 0, { id: '8-one' });

  test('what the cloud refuses counts only while it is being given up', () => {
    expect(found(viewOf('one', [], refused))).toBe(0);
    expect(found(viewOf('one', [], refused), { open: [lowered] })).toBe(1);
  });

  test('what the cloud refuses and the minimum keeps from being given up counts as little beside what is given up', () => {
    const more = { ...refused, desired: 3 };
    expect(found(viewOf('one', [], more), { open: [sizeIntent('one', 3, 1, { id: '8-one' })], most: 3 })).toBe(0);
    expect(found(viewOf('one', [], more), { open: [sizeIntent('one', 3, 1, { id: '8-one' })], most: 2 })).toBe(1);
  });

  test('a smaller size counts when it has been set, and a larger one when it is decided', () => {
    expect(found(viewOf('one', [coming(2, false)]), { open: [lowered] })).toBe(1);
    expect(found(viewOf('one', [], { desired: 0 }), { open: [lowered] })).toBe(0);
    expect(found(viewOf('one', []), { open: [sizeIntent('one', 0, 1, { id: '8-one' })] })).toBe(1);
  });

  test('an increase from before its failure does not count, and one from after it does', () => {
    const open = [{ ...sizeIntent('one', 0, 1, { id: '8-one' }), createdAt: epochMs(NOW - 5 * MINUTE) }];
    expect(found(viewOf('one', []), { open, lastFailure: NOW - MINUTE })).toBe(0);
    expect(found(viewOf('one', []), { open, lastFailure: NOW - 6 * MINUTE })).toBe(1);
  });

  test('nodes count where it has no tags, and nothing else does', () => {
    const node = { ...coming(2, false), node: 'n' } as SimulatedInstance;
    expect(found(viewOf('one', [coming(2, false)], { untagged: true }))).toBe(0);
    expect(found(viewOf('one', [node], { untagged: true }))).toBe(1);
  });

  test('a node of a group without tags counts when it can have been read', () => {
    const one = viewOf('one', [{ ...coming(2, false), node: 'n' } as SimulatedInstance], { untagged: true });
    expect(found(one, { cameAgo: 0.01, wasRead: false })).toBe(0);
    expect(found(one, { cameAgo: 0.01, wasRead: true })).toBe(1);
    expect(found(one, { cameAgo: 2, wasRead: false })).toBe(1);
  });

  test('the node of an instance in Standby counts, and an instance there that is no node does not', () => {
    const set = (node: string) => ({ aside: [{ ...coming(30, false), node }] }) as unknown as Partial<GroupView>;
    expect(found(viewOf('one', [], set('n')))).toBe(1);
    expect(found(viewOf('one', [], set('gone')))).toBe(0);
  });

  test('what has changed elsewhere a moment ago may not be known', () => {
    expect(found(viewOf('one', [coming(2, false)]), { changedAgo: 0.5 })).toBe(0);
    expect(found(viewOf('one', [coming(2, false)]), { changedAgo: 2 })).toBe(1);
  });
});

test('a resource of Cluster API states what is allocatable of its nodes, which counts as long as none is known', () => {
  const known = viewOf('one', [{ ...coming(30, false), node: nodeName('n') }]);
  expect(found(viewOf('one', []), { memory: 0.5, provider: 'clusterapi' })).toBe(0);
  expect(found(viewOf('one', []), { memory: 0.5 })).toBe(1);
  expect(found(known, { most: 2, memory: 1.5, provider: 'clusterapi' })).toBe(0);
  expect(found(known, { most: 2, memory: 1, provider: 'clusterapi' })).toBe(1);
});
