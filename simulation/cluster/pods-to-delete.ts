import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import { countBy } from '@outrigger/core/model/values/counts.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';

/**
 * The pods that a ReplicaSet deletes when it has this surplus of pods: pods without a node, then pods that are not ready, then pods
 * on the nodes with most pods of the ReplicaSet, then pods whose age has a lower power of two. UIDs, which are random, decide
 * between pods of similar age. Pods per node are counted once for the whole surplus, so the nodes with most pods lose all of them.
 * Source: `getPodsToDelete` and `ActivePodsWithRanks` of kube-controller-manager. Restarts and the annotation
 * `controller.kubernetes.io/pod-deletion-cost` are not simulated.
 */
export function podsToDelete(pods: readonly Pod[], surplus: number, now: EpochMs): readonly Pod[] {
  const counts = countBy(pods, ({ nodeName }) => nodeName);
  const countOf = ({ nodeName }: Pod): number => counts.get(nodeName) ?? 0;
  return pods
    .toSorted(
      (a, b) =>
        Number(a.nodeName !== null) - Number(b.nodeName !== null) ||
        Number(a.ready) - Number(b.ready) ||
        countOf(b) - countOf(a) ||
        powerOfAge(a, now) - powerOfAge(b, now) ||
        (a.ready ? 0 : (b.createdAt ?? 0) - (a.createdAt ?? 0)) ||
        byName(a.uid, b.uid),
    )
    .slice(0, surplus);
}

/** Power of two of the nanoseconds for which a pod has been ready; -1 if it is not ready. */
const powerOfAge = ({ ready, startedAt }: Pod, now: EpochMs): number =>
  ready && startedAt !== null && startedAt < now ? Math.floor(Math.log2((now - startedAt) * 1e6)) : -1;
