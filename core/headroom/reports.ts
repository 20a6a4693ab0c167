import { countBy } from '../model/values/counts.ts';
import { getOptional } from '../model/values/optional.ts';
import { present, nonEmpty } from '../model/values/present.ts';
import type { HeadroomReport, PodReason } from '../model/decision.ts';
import type { Pod } from '../model/cluster/pod.ts';
import { ownerText } from './held.ts';
import type { HeadroomRequest } from './virtual-pods.ts';

/** Pods that found no place without new nodes, and what the plan has made of them. */
interface UnplacedPods {
  readonly pods: readonly Pod[];
}
interface PlanLeft extends UnplacedPods {
  readonly awaiting: boolean;
  readonly reasons: readonly PodReason[];
}

/**
 * Reports on the capacity that is asked for. Pods are told apart by their objects: all pods of one owner are the same
 * object.
 *
 * @param left pods without a place on existing or upcoming nodes
 * @param planLeft pods without a place on planned nodes either; `null`: nothing was planned
 * @param coming the number of virtual pods with a place on an upcoming node, by owner
 */
export function headroomReports(
  wanted: readonly HeadroomRequest[],
  left: readonly UnplacedPods[],
  planLeft: readonly PlanLeft[] | null,
  coming: ReadonlyMap<string, number>,
): readonly HeadroomReport[] {
  const virtual = new Set(wanted.map(({ pod }) => pod));
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
  return wanted.map(({ source, name, pod, count, limit, problem }): HeadroomReport => {
    const missing = getOptional(without, pod) ?? 0;
    return {
      source,
      name,
      wanted: count,
      fits: count - missing,
      upcoming: coming.get(ownerText({ source, name })),
      triggered: missing - (getOptional(still, pod) ?? 0),
      ...nonEmpty({ reasons: getOptional(reasons, pod) ?? [] }),
      ...present({ limit, problem }),
    };
  });
}

const countsIn = (lists: readonly UnplacedPods[], virtual: ReadonlySet<Pod | null>): ReadonlyMap<Pod, number> =>
  countBy(
    lists.flatMap(({ pods }) => pods.filter((pod) => virtual.has(pod))),
    (pod) => pod,
  );
