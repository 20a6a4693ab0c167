import { present, nonEmpty } from '../model/values/present.ts';
import type { HeadroomReport, PodReason } from '../model/decision.ts';
import type { Pod } from '../model/cluster/pod.ts';
import { ownerText } from './held.ts';
import type { HeadroomRequest } from './virtual-pods.ts';

/** Pods that found no place without new nodes, and what the plan has made of them. */
interface Left {
  readonly pods: readonly Pod[];
}
interface PlanLeft extends Left {
  readonly awaiting: boolean;
  readonly reasons: readonly PodReason[];
}

/**
 * Reports on the capacity that is asked for. Pods are told apart by their objects: all pods of one asker are the same
 * object.
 *
 * @param left pods without a place on existing or upcoming nodes
 * @param planLeft pods without a place on planned nodes either; `null`: nothing was planned
 * @param coming the number of virtual pods with a place on an upcoming node, by asker
 */
export function headroomReports(
  wanted: readonly HeadroomRequest[],
  left: readonly Left[],
  planLeft: readonly PlanLeft[] | null,
  coming: ReadonlyMap<string, number>,
): readonly HeadroomReport[] {
  const virtual = new Set(wanted.flatMap(({ pods }) => pods?.pod ?? []));
  const without = countsIn(left, virtual);
  const still = planLeft === null ? without : countsIn(planLeft, virtual);
  const reasons = new Map<Pod, readonly PodReason[]>();
  for (const { pods, reasons: why } of planLeft ?? []) {
    for (const pod of pods) {
      if (virtual.has(pod)) {
        reasons.set(pod, why);
      }
    }
  }
  return wanted.map(({ source, name, pods, limit, problem }): HeadroomReport => {
    const missing = pods === null ? 0 : (without.get(pods.pod) ?? 0);
    const unplaced = pods === null ? 0 : (still.get(pods.pod) ?? 0);
    const why = pods === null ? undefined : reasons.get(pods.pod);
    const upcoming = coming.get(ownerText({ source, name })) ?? 0;
    return {
      source,
      name,
      wanted: pods?.count ?? 0,
      fits: (pods?.count ?? 0) - missing,
      upcoming: upcoming || undefined,
      triggered: missing - unplaced,
      ...nonEmpty({ reasons: why ?? [] }),
      ...present({ limit, problem }),
    };
  });
}

function countsIn(lists: readonly Left[], virtual: ReadonlySet<Pod>): ReadonlyMap<Pod, number> {
  const counts = new Map<Pod, number>();
  for (const { pods } of lists) {
    for (const pod of pods) {
      if (virtual.has(pod)) {
        counts.set(pod, (counts.get(pod) ?? 0) + 1);
      }
    }
  }
  return counts;
}
