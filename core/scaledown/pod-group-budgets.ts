import { getExisting } from '../model/values/existing.ts';
import { addCount, countBy } from '../model/values/counts.ts';
import { getOptional } from '../model/values/optional.ts';
import type { PodGroup } from '../model/cluster/pod-group.ts';
import { isFinished, keyOfPodGroup, type Pod, podGroupKeyOf } from '../model/cluster/pod.ts';
import type { PdbTracker } from './pdb-tracker.ts';

/** How many running pods of a PodGroup may be evicted, and why no more. */
interface Spare {
  left: number;
  readonly reason: string;
}

/**
 * The budgets with those of PodGroups beside them: `minCount` of their running pods stay, for a gang of fewer does not go on. Kubernetes has
 * no such budget, and the API server evicts any of these pods.
 *
 * @param pods all pods of the cluster.
 * @param inProgress pods on nodes that are being drained.
 */
export function withPodGroupBudgets(
  pdbs: PdbTracker,
  groups: readonly PodGroup[],
  pods: readonly Pod[],
  inProgress: readonly Pod[],
): PdbTracker {
  if (groups.length === 0) {
    return pdbs;
  }
  const running = countBy(pods, keyOfRunning);
  const spare = new Map<string, Spare>();
  for (const group of groups) {
    const { minCount, disruptedTogether, name } = group;
    const count = running.get(keyOfPodGroup(group)) ?? 0;
    if (disruptedTogether) {
      spare.set(keyOfPodGroup(group), {
        left: 0,
        reason: `the pods of PodGroup ${name} can be disrupted all together only (spec.disruptionMode)`,
      });
    } else if (minCount > 0) {
      spare.set(keyOfPodGroup(group), {
        left: count - minCount,
        reason: `PodGroup ${name} needs ${minCount} of its ${count} running pods (spec.schedulingPolicy.gang.minCount)`,
      });
    }
  }
  take(spare, inProgress);
  return beside(pdbs, spare);
}

/** The PodGroup of a pod on a node that has not ended and is not being deleted; `null` for other pods. */
const keyOfRunning = (pod: Pod): string | null =>
  pod.nodeName === null || pod.deletedAt !== null || isFinished(pod) ? null : podGroupKeyOf(pod);

function take(spare: ReadonlyMap<string, Spare>, pods: readonly Pod[]): void {
  for (const pod of pods) {
    const of = spareOf(spare, pod);
    if (of !== undefined) {
      of.left -= 1;
    }
  }
}

const spareOf = (spare: ReadonlyMap<string, Spare>, pod: Pod): Spare | undefined =>
  getOptional(spare, keyOfRunning(pod));

const beside = (pdbs: PdbTracker, spare: ReadonlyMap<string, Spare>): PdbTracker => ({
  allows(pod) {
    const of = spareOf(spare, pod);
    if (of !== undefined && of.left < 1) {
      return { ok: false, reason: of.reason };
    }
    return pdbs.allows(pod);
  },
  covers: (pod) => pdbs.covers(pod),
  canTake(pods) {
    const wanted = new Map<Spare, number>();
    for (const pod of pods) {
      const of = spareOf(spare, pod);
      if (of !== undefined && getExisting(addCount(wanted, of), of) > of.left) {
        return { inParallel: false, blocked: { pod, reason: of.reason } };
      }
    }
    return pdbs.canTake(pods);
  },
  take(pods) {
    pdbs.take(pods);
    take(spare, pods);
  },
  fork: () => beside(pdbs.fork(), new Map([...spare].map(([key, of]) => [key, { ...of }]))),
});
