import { addCount } from '@outrigger/core/model/values/counts.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import { longestWaitOf } from '@outrigger/core/scaleup/pods/longest-wait.ts';
import { isDaemon } from '@outrigger/core/model/cluster/pod.ts';
import { byName, type PodKey } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { SimulatedWorld } from '../world.ts';
import type { DecisionEntry, TimelineEntry, Stuck } from './recording.ts';

/**
 * A scale-up decision as it is recorded.
 *
 * @param waiting since when each pod has been unschedulable.
 */
export function decisionEntry(
  { scaleUp }: Decision,
  { api, controllers }: SimulatedWorld,
  waiting: ReadonlyMap<PodKey, EpochMs>,
  now: EpochMs,
): DecisionEntry {
  const outcomes: Record<string, number> = {};
  const stuck = new Map<string, Stuck>();
  for (const { pod, outcome, reasons = [] } of scaleUp.pods) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome === 'Unschedulable' || outcome === 'Awaiting') {
      const object = api.pods.get(pod);
      const workload = object === undefined ? pod : controllers.workloadOf(object);
      stuck.set(workload, { workload, pods: (stuck.get(workload)?.pods ?? 0) + 1, reasons });
    }
  }
  const waited = longestWaitOf(
    scaleUp.pods,
    (pod) => {
      const since = waiting.get(pod);
      const object = api.pods.get(pod);
      const alike = object === undefined ? pod : controllers.workloadOf(object);
      return since === undefined ? null : { since, alike };
    },
    now,
  );
  return {
    kind: 'Decision',
    result: scaleUp.result,
    increases: scaleUp.increases,
    considered: scaleUp.considered,
    skippedGroups: scaleUp.skippedGroups,
    upcoming: Object.values<number>(scaleUp.upcoming).reduce((sum, count) => sum + count, 0),
    outcomes: Object.fromEntries(Object.entries(outcomes).sort(([a], [b]) => byName(a, b))),
    unschedulable: [...stuck.values()],
    waited: waited === null ? null : waited / 1_000,
  };
}

/** Pods that wait for a node at the end: what the last decision and the scheduler say about them. */
export function stuckPods({ api, controllers }: SimulatedWorld, timeline: readonly TimelineEntry[]) {
  const counts = new Map<string, number>();
  for (const pod of api.pods.values()) {
    if (pod.nodeName === null && !isDaemon(pod)) {
      const workload = controllers.workloadOf(pod);
      addCount(counts, workload);
    }
  }
  return [...counts].map(([workload, pods]) => {
    const decision = timeline.findLast(
      (entry): entry is Extract<TimelineEntry, DecisionEntry> =>
        entry.kind === 'Decision' && entry.unschedulable.some((stuck) => stuck.workload === workload),
    );
    const scheduler = timeline.findLast((entry) => entry.kind === 'PodUnschedulable' && entry.workload === workload);
    return {
      workload,
      pods,
      reasons: decision?.unschedulable.find((stuck) => stuck.workload === workload)?.reasons ?? [],
      message: scheduler?.kind === 'PodUnschedulable' ? scheduler.message : '',
    };
  });
}
