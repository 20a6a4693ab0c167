import { expect, test } from 'vitest';
import { defaultOptions } from '../../../core/model/options.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { CPU, MEMORY } from '../../../core/model/values/resources.ts';
import type { GroupView, SimulatedInstance } from '../../../providers/simulated/auto-scaling.ts';
import type { Stage } from './invariant.ts';
import { limitsKept } from './limits-kept.ts';

const MINUTE = 60_000;
const NOW = epochMs(60 * MINUTE);

/** It has not become a node yet. */
const coming = (minutesAgo: number, failed: boolean): SimulatedInstance => ({
  id: instanceId(`i-${minutesAgo}`),
  zone: 'a',
  launchedAt: NOW - minutesAgo * MINUTE,
  state: 'Creating',
  node: null,
  failed,
});

const viewOf = (name: string, instances: readonly SimulatedInstance[]): GroupView =>
  ({
    group: { name: groupName(name), capacity: { [CPU]: 1_000, [MEMORY]: 2 ** 30 } },
    desired: instances.length,
    instances,
    error: null,
  }) as unknown as GroupView;

test.each([
  { what: 'that starts', instance: coming(2, false), found: 1 },
  { what: 'that has failed for good', instance: coming(2, true), found: 0 },
  { what: 'that has not come in time', instance: coming(20, false), found: 0 },
])('beside an instance $what a group is raised beyond the limit: $found violations', ({ instance, found }) => {
  const views = [viewOf('one', [instance]), viewOf('other', [coming(1, false)])];
  const violations: string[] = [];
  const stage = {
    world: { api: { nodes: new Map() }, clock: { now: () => NOW }, scaling: { groups: () => views } },
    scenario: { options: { ...defaultOptions(), maxNodesTotal: 1 } },
  } as unknown as Stage;
  const { event } = limitsKept.watch(
    stage,
    (what) => violations.push(what),
    () => {},
  );
  event!({ kind: 'SizeSet', at: NOW, group: groupName('other'), from: 0, to: 1 });
  expect(violations).toHaveLength(found);
});
