import { evaluate } from '@outrigger/core/evaluate.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import { countBy } from '@outrigger/core/model/values/counts.ts';
import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { NO_OBJECTS, type Scenario } from '@outrigger/core/model/scenario.ts';
import { EMPTY_STATE } from '@outrigger/core/model/state.ts';
import { type EpochMs, epochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { nodeGroupOf } from '@outrigger/simulation/cloud/groups.ts';
import type { SimulatedScalingGroup } from '@outrigger/simulation/cloud/scaling-group.ts';
import { simulable } from '../backtest/workloads.ts';
import { meanPrices } from '@outrigger/simulation/load/stated-prices.ts';
import type { ObservedPeriod } from '../history/observed.ts';

/** Cost of node groups for the pods of a period, if all pods were packed onto new nodes again and again. */
export interface LayoutEstimate {
  readonly usdPerHour: number;
  /** Pods that found no place, of all times. */
  readonly podsWithoutNode: number;
}

/** Times at which the pods are packed. */
const TIMES = 12;

/** The pods of a period at times of equal distance. */
export function scenesOf(period: ObservedPeriod): readonly Scenario[] {
  const groupless = new Set(period.nodes.filter(({ group }) => group === null).map(({ node }) => node.name));
  const pods = period.pods.filter(({ node }) => node === null || !groupless.has(node));
  const step = (period.until - period.since) / TIMES;
  return Array.from({ length: TIMES }, (_, index) => {
    const now = epochMs(period.since + step * (index + 0.5));
    const alive = pods.filter(({ createdAt, end }) => createdAt <= now && (end === null || end > now));
    return sceneOf(
      period,
      now,
      alive.map(({ pod }) => pod),
    );
  });
}

const sceneOf = ({ last, daemonSets }: ObservedPeriod, now: EpochMs, pods: readonly Pod[]): Scenario => ({
  ...last,
  now,
  nodeGroups: [],
  objects: {
    ...NO_OBJECTS,
    kubernetesMinor: last.objects.kubernetesMinor,
    namespaces: last.objects.namespaces,
    priorityClasses: last.objects.priorityClasses,
    controllers: daemonSets,
    pods: pods.map((pod) => asPending(pod, epochMs(now - minutes(60)))),
  },
  state: EMPTY_STATE,
  notices: undefined,
  pauses: undefined,
});

const asPending = (pod: Pod, since: EpochMs): Pod => ({
  ...pod,
  spec: simulable(pod.spec),
  createdAt: since,
  nodeName: null,
  nominatedNodeName: null,
  phase: 'Pending',
  unscheduled: { reason: 'Unschedulable', since },
});

/** Estimates the cost of node groups by what scale-up would launch for all pods at once. */
export function estimateCost(groups: readonly SimulatedScalingGroup[], scenes: readonly Scenario[]): LayoutEstimate {
  const nodeGroups = groups.map(emptyGroup);
  let [usd, podsWithoutNode] = [0, 0];
  for (const scene of scenes) {
    const { increases, pods } = evaluate({ ...scene, nodeGroups }).scaleUp;
    const sizes = countBy(
      increases,
      ({ group }) => group,
      ({ from, to }) => to - from,
    );
    for (const [group, price] of meanPrices({ groups, options: scene.options }, sizes)) {
      usd += (price ?? 0) * getExisting(sizes, group);
    }
    podsWithoutNode += pods.filter(({ outcome }) => outcome !== 'Triggered').length;
  }
  return { usdPerHour: usd / scenes.length, podsWithoutNode };
}

/** A node group without nodes, which may be as small. */
const emptyGroup = (group: SimulatedScalingGroup): NodeGroup => ({
  ...nodeGroupOf({ group, desired: 0, instances: [], error: null }, new Map()),
  minSize: 0,
});
