import { countBy } from '@outrigger/core/model/values/counts.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import { longestWaitOf } from '@outrigger/core/scaleup/pods/longest-wait.ts';
import { isDaemon } from '@outrigger/core/model/cluster/pod.ts';
import type { PodKey } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { sortedRecord } from '@outrigger/core/model/values/sorted.ts';
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
  const workloadOf = (pod: PodKey): string => mapOptional(api.pods.get(pod), controllers.workloadOf) ?? pod;
  const stuck = new Map<string, Stuck>();
  for (const { pod, outcome, reasons = [] } of scaleUp.pods) {
    if (outcome === 'Unschedulable' || outcome === 'Awaiting') {
      const workload = workloadOf(pod);
      stuck.set(workload, { workload, pods: (stuck.get(workload)?.pods ?? 0) + 1, reasons });
    }
  }
  const waited = longestWaitOf(
    scaleUp.pods,
    (pod) => mapOptional(waiting.get(pod), (since) => ({ since, alike: workloadOf(pod) })) ?? null,
    now,
  );
  return {
    kind: 'Decision',
    result: scaleUp.result,
    increases: scaleUp.increases,
    considered: scaleUp.considered,
    skippedGroups: scaleUp.skippedGroups,
    upcoming: Object.values<number>(scaleUp.upcoming).reduce((sum, count) => sum + count, 0),
    outcomes: sortedRecord(countBy(scaleUp.pods, ({ outcome }) => outcome)),
    unschedulable: [...stuck.values()],
    waited: mapOptional(waited, (ms) => ms / 1_000),
  };
}

/** Pods that wait for a node at the end: what the last decision and the scheduler say about them. */
export function stuckPods({ api, controllers }: SimulatedWorld, timeline: readonly TimelineEntry[]) {
  const pending = [...api.pods.values()].filter((pod) => pod.nodeName === null && !isDaemon(pod));
  const stuck = timeline.filter((entry) => entry.kind === 'Decision').flatMap(({ unschedulable }) => unschedulable);
  const found = timeline.filter((entry) => entry.kind === 'PodUnschedulable');
  return [...countBy(pending, controllers.workloadOf)].map(([workload, pods]) => ({
    workload,
    pods,
    reasons: stuck.findLast((one) => one.workload === workload)?.reasons ?? [],
    message: found.findLast((one) => one.workload === workload)?.message ?? '',
  }));
}
