import { groupName } from '../../core/model/values/names.ts';
import { epochMs, type DurationMs } from '../../core/model/values/time.ts';
import { plainSpec } from '../../simulation/cluster/pod-spec.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import type { DaemonSet, Workload } from '../../simulation/cluster/workload.ts';
import { createSimulatedWorld, type SimulatedWorld, type SimulatedWorldOptions } from '../../simulation/world.ts';
import type { WorldEvent } from '../../simulation/world-event.ts';
import { type Amounts, resources } from '../builders.ts';

export const START = epochMs(Date.UTC(2026, 0, 1, 12));

/** A group of 4 CPU, 16 GiB nodes in one zone, from 0 to 10, unless told otherwise. */
export function scalingGroup(
  name: string,
  given: Partial<Omit<SimulatedScalingGroup, 'name'>> & { node?: Amounts } = {},
): SimulatedScalingGroup {
  const { node = { cpu: 4, memory: '16Gi', pods: 58 }, ...rest } = given;
  return {
    name: groupName(name),
    zones: ['us-east-1a'],
    instanceType: 'm5.xlarge',
    minSize: 0,
    maxSize: 10,
    desiredSize: 0,
    capacity: resources(node),
    allocatable: resources(node),
    labels: {},
    taints: [],
    options: {},
    price: null,
    boot: { min: 25_000, max: 45_000 },
    ready: { min: 2_000, max: 5_000 },
    available: Number.POSITIVE_INFINITY,
    ...rest,
  };
}

export function deployment(name: string, pods: number, requests: Amounts, extra: Partial<Workload> = {}): Workload {
  return {
    kind: 'Deployment',
    namespace: 'default',
    name,
    pods,
    labels: { app: name },
    spec: plainSpec(resources(requests)),
    runsFor: null,
    ...extra,
  };
}

export const job = (name: string, pods: number, requests: Amounts, runsFor: DurationMs): Workload =>
  deployment(name, pods, requests, { kind: 'Job', runsFor });

const TOLERATE_ALL = [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }];

export const agent: DaemonSet = {
  namespace: 'kube-system',
  name: 'agent',
  spec: plainSpec(resources({ cpu: '100m' }), { tolerations: TOLERATE_ALL, priority: 2_000_001_000 }),
};

/** A world that keeps what happens in it. */
export function testWorld(groups: readonly SimulatedScalingGroup[], extra: Partial<SimulatedWorldOptions> = {}) {
  const world = createSimulatedWorld({ seed: 1, start: START, groups, daemonSets: [], ...extra });
  const events: WorldEvent[] = [];
  world.onEvent((event) => events.push(event));
  return {
    ...world,
    events,
    /** Lets this many seconds go by. */
    pass: (seconds: number): Promise<void> =>
      world.clock.run({ done: () => false, until: epochMs(world.clock.now() + seconds * 1_000) }),
    ofKind: <Kind extends WorldEvent['kind']>(kind: Kind) =>
      events.filter((event): event is Extract<WorldEvent, { kind: Kind }> => event.kind === kind),
    podsOf: (workload: string) =>
      [...world.api.pods.values()].filter((pod) => world.controllers.workloadOf(pod) === workload),
  };
}

/** Makes a call of the world while its clock runs, and gives its outcome. */
export async function withClock<T>({ clock }: Pick<SimulatedWorld, 'clock'>, call: () => Promise<T>): Promise<T> {
  const calling = call();
  const settled = calling.then(
    () => true,
    () => true,
  );
  let over = false;
  clock.start(async () => {
    over = await settled;
  });
  await clock.run({ done: () => over, until: (clock.now() + 60_000) as ReturnType<typeof clock.now> });
  return calling;
}
