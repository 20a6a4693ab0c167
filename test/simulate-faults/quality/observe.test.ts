import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { groupName, instanceId, nodeName, podKey } from '../../../core/model/values/names.ts';
import { CPU } from '../../../core/model/values/resources.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import type { GroupView, SimulatedInstance } from '../../../simulation/cloud/group-view.ts';
import { plainSpec } from '../../../simulation/cluster/pod-spec.ts';
import type { EventContent } from '../../../simulation/world-event.ts';
import { pod } from '../../builders.ts';
import { POOL_LABEL, SIZE_LABEL } from '../pools.ts';
import { scenarioFor } from '../scenario.ts';
import { observeQuality, type RunQuality } from './observe.ts';

const GROUP = groupName('blue-1');
const [LIKE] = scenarioFor(1).groups;
/** A group of nodes of four units. */
const SCALING = { ...LIKE!, name: GROUP, minSize: 0, maxSize: 3, allocatable: { [CPU]: 2_350 } };
const ON_POOL = { spec: plainSpec({}, { nodeSelector: { [POOL_LABEL]: 'blue' } }) };
const ABOUT = { group: GROUP, instance: instanceId('i-1'), zone: 'us-east-1a', node: nodeName('node-1') };

const instances = (count: number, more: Partial<SimulatedInstance> = {}): readonly SimulatedInstance[] =>
  Array.from({ length: count }, (_, i) => ({
    id: instanceId(`i-${i}`),
    zone: 'us-east-1a',
    launchedAt: 0,
    state: 'Running' as const,
    node: null,
    ...more,
  }));

interface Moment extends Partial<GroupView> {
  /** In seconds. */
  readonly at: number;
  /** Units of the pods on nodes. */
  readonly pods?: readonly number[];
  readonly events?: readonly EventContent[];
}

/** Observes a cluster of one group of four units a node; nothing changes between the moments. */
function observed(moments: readonly Moment[]): RunQuality {
  let now = 0;
  let pods: readonly Pod[] = [];
  let view: GroupView = { group: SCALING, desired: 0, instances: [], error: null };
  const apply = { name: 'web', namespace: 'default', labels: {}, kind: 'Deployment', pods: 1, runsFor: null } as const;
  const observer = observeQuality({
    scenario: {
      pools: [{ name: 'blue', groups: [GROUP], units: 4 }],
      steps: [{ kind: 'apply', at: epochMs(0), workload: { ...apply, ...ON_POOL } }],
    },
    world: {
      clock: { now: () => epochMs(now) },
      api: { pods: { values: () => pods.values() } as never },
      scaling: { groups: () => [view] },
    },
  });
  for (const { at, pods: units, events = [], ...more } of moments) {
    now = at * 1_000;
    view = Object.assign({}, view, more);
    pods =
      units?.map((size, i) =>
        pod(`web-${i}`, { ...ON_POOL, node: 'node-1', labels: { [SIZE_LABEL]: String(size) } }),
      ) ?? pods;
    events.forEach((event) => observer.watch.event!({ at: epochMs(now), ...event }));
    observer.watch.step!();
  }
  observer.watch.ended!(true);
  return observer.quality();
}

const ofPod = (name: string) => ({ pod: podKey('default', name), workload: 'default/web' });
const created = (name: string): EventContent => ({ kind: 'PodCreated', ...ofPod(name) });
const bound = (name: string): EventContent => ({ kind: 'PodBound', ...ofPod(name), node: ABOUT.node });
const launched: EventContent = { kind: 'InstanceLaunched', ...ABOUT };
const ready: EventContent = { kind: 'NodeReady', ...ABOUT };
const terminated: EventContent = { kind: 'InstanceTerminated', ...ABOUT, decrement: true };

describe('capacity', () => {
  test('is used by all instances, and needed in whole nodes by the pods on nodes', () => {
    const { usedHours, neededHours, podHours } = observed([
      { at: 10, instances: instances(3), pods: [2, 2, 1] },
      { at: 1_810, pods: [] },
      { at: 3_610 },
    ]);
    expect([usedHours, neededHours, podHours]).toEqual([12, 4, 1.5]);
  });

  test('is used by instances in Standby, and not by machines that have failed', () => {
    const aside = { at: 10, instances: instances(1), aside: instances(1) };
    expect(observed([aside, { at: 3_610 }]).usedHours).toBe(8);
    const failed = { at: 10, instances: [...instances(1), ...instances(1, { failed: true })] };
    expect(observed([failed, { at: 3_610 }]).usedHours).toBe(4);
  });
});

describe('a removal', () => {
  test.each([
    [900, 1],
    [901, 0],
  ])('%i seconds after the launch counts as early %i times, however often it is asked for', (after, early) => {
    const { launched: launches, removedEarly } = observed([
      { at: 60, events: [launched] },
      { at: 60 + after, events: [terminated, terminated] },
    ]);
    expect([launches, removedEarly]).toEqual([1, early]);
  });
});

describe('the wait of a pod beyond a boot', () => {
  const early = { at: 100, events: [created('a')] };
  const atFull = [
    { ...early, desired: 2 },
    { at: 130, desired: 3 },
    { at: 430, desired: 2 },
  ];
  const boot = (at: number): readonly Moment[] => [
    { at, events: [launched] },
    { at: at + 60, events: [ready] },
    { at: at + 63, events: [bound('a')] },
  ];
  test.each<readonly [string, readonly Moment[], number]>([
    ['is the time before the launch, and after the node is ready', [early, ...boot(112)], 15],
    ['leaves out the time for which all groups of the pool have their maximum size', [...atFull, ...boot(445)], 48],
  ])('%s', (_, moments, wait) => {
    expect(observed(moments).waits).toEqual([wait]);
  });

  test('begins at the end of the boot if the instance was launched before the pod was created', () => {
    const [launch, ...later] = boot(100) as [Moment, ...Moment[]];
    expect(observed([launch, { at: 120, events: [created('a')] }, ...later]).waits).toEqual([3]);
  });
});
