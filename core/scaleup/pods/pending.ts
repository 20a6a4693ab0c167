import { ageReachedAt, isPending, scaleUpDelay, type Wait, waitOf } from '../../model/pod-wait.ts';
import { addCount, countBy } from '../../model/values/counts.ts';
import { clip } from '../../model/values/clip.ts';
import { faultOf, readable } from '../../model/fault.ts';
import type { PodReason, ScaleUpResult } from '../../model/decision.ts';
import { gpusIn } from '../../model/cluster/gpu.ts';
import type { NodeName } from '../../model/values/names.ts';
import type { Options } from '../../model/options.ts';
import { gangOf, gangText, isFinished, keyOfPodGroup, type Pod, podGroupKeyOf } from '../../model/cluster/pod.ts';
import { specRequests } from '../../model/cluster/pod-requests.ts';
import type { ClusterObjects, Scenario } from '../../model/scenario.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { ReservedPlaces } from '../../model/state.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import { getOptional, mapOptional } from '../../model/values/optional.ts';
import { pluralOf } from '../../model/values/counted.ts';
import type { DurationMs, EpochMs } from '../../model/values/time.ts';
import { unboundPods } from '../../model/cluster/unbound-pods.ts';
import type { PodsWithKinds } from '../../estimator/demand.ts';

/**
 * Pods that no node has, in the order of their names; those without a kind do not want a node now. Columns and not
 * rows, for there may be very many.
 */
export interface PodsWithoutNode extends PodsWithKinds {
  /** Why nothing is done about some of these. */
  readonly ignored: ReadonlyMap<Pod, PodReason>;
}

/**
 * The pods without a node, sorted out as by `waitOf`.
 *
 * @param among in the order of their names.
 */
export function pendingPods(
  among: readonly Pod[],
  snapshot: Snapshot,
  { options, now, state, objects }: Scenario,
): PodsWithoutNode {
  const pods: Pod[] = [];
  const kinds: (PodKind | null)[] = [];
  const reasons = new Map<Pod, PodReason>();
  /** Too young, of the pods that go together: by their controller. */
  const young = new Map<string, number>();
  const isThere = (node: NodeName): boolean => snapshot.byName(node) !== undefined;
  for (const pod of among) {
    const wait = waitIn(pod, options, now, isThere);
    if (wait === null) {
      continue;
    }
    if (wait.kind === 'ignored') {
      reasons.set(pod, wait.reason);
      const gang = gangOf(pod);
      if (gang !== null && wait.until !== null) {
        addCount(young, gang);
      }
    }
    pods.push(pod);
    kinds.push(wait.kind === 'wants' ? kindIn(pod, snapshot) : null);
  }
  if (young.size > 0) {
    // Places that are reserved for a gang stay reserved for it.
    const reserved = new Set(
      Object.values<readonly ReservedPlaces[]>(state.reservations).flatMap((of) => of.map(({ kind }) => kind)),
    );
    for (const kind of new Set(kinds)) {
      if (kind !== null && kind.gang !== null && reserved.has(snapshot.kinds.fingerprint(kind))) {
        young.delete(kind.gang);
      }
    }
  }
  const incomplete = incompleteGroups(objects);
  if (young.size + incomplete.size > 0) {
    for (const [i, pod] of pods.entries()) {
      const gang = kinds[i]?.gang;
      const count = getOptional(young, gang);
      const reason = mapOptional(count, (some) => youngText(pod, some)) ?? getOptional(incomplete, gang);
      if (reason !== undefined) {
        kinds[i] = null;
        reasons.set(pod, { reason });
      }
    }
  }
  return { pods, kinds, ignored: reasons };
}

/** `null` for a pod that is not pending. */
function waitIn(pod: Pod, options: Options, now: EpochMs, isThere: (node: NodeName) => boolean): Wait | null {
  try {
    return isPending(pod, options) ? waitOf(pod, options, now, isThere) : null;
  } catch (error) {
    throw faultOf(error, { kind: 'pod', pod });
  }
}

function kindIn(pod: Pod, snapshot: Snapshot): PodKind {
  try {
    return snapshot.kindOf(pod);
  } catch (error) {
    throw faultOf(error, { kind: 'pod', pod });
  }
}

/** Why gangs wait for their youngest pods: nodes that are added for the others might be of no use. */
const youngText = (pod: Pod, count: number): string =>
  `the pods of ${gangText(pod)} go together, and ${count} of them ${pluralOf('is', count, 'are')} younger than the scale-up delay`;

/** kube-scheduler waits until `minCount` pods of a PodGroup exist: nodes that are added before might be of no use. */
function incompleteGroups({
  podGroups,
  pods,
}: Pick<ClusterObjects, 'podGroups' | 'pods'>): ReadonlyMap<string, string> {
  const counts =
    podGroups.length === 0
      ? new Map()
      : countBy(
          pods.filter((pod) => !isFinished(pod)),
          podGroupKeyOf,
        );
  return new Map(
    podGroups.flatMap((group) => {
      const { namespace, name, minCount } = group;
      const key = keyOfPodGroup(group);
      const count = counts.get(key) ?? 0;
      const text = `PodGroup ${namespace}/${name} has ${count} of the ${minCount} pods that it needs`;
      return count < minCount ? [[key, clip(text)] as const] : [];
    }),
  );
}

/**
 * When pods will be old enough that wait for nothing but that: the time of the next evaluation. `null` when none do.
 *
 * @param result of the decision: with `Cooldown`, pods wait until the oldest of them is older.
 */
export function oldEnoughAt({ objects, options, now }: Scenario, result: ScaleUpResult): EpochMs | null {
  const { unschedulablePodTimeBuffer, unschedulablePodWithGpuTimeBuffer } = options;
  let next: EpochMs | null = null;
  const atAge = (pod: Pod, age: DurationMs): void => {
    const time = ageReachedAt(pod, age, now);
    if (time !== null && (next === null || time < next)) {
      next = time;
    }
  };
  for (const pod of objects.pods) {
    // A pod that throws has been reported by the evaluation.
    const wait = readable(() => waitIn(pod, options, now, () => true), null);
    if (wait?.kind === 'ignored' && wait.until !== null) {
      atAge(pod, scaleUpDelay(pod, options));
    }
    if (wait?.kind === 'wants' && result === 'Cooldown') {
      atAge(pod, unschedulablePodTimeBuffer);
      if (gpusIn(specRequests(pod.spec)) > 0) {
        atAge(pod, unschedulablePodWithGpuTimeBuffer);
      }
    }
  }
  return next;
}

/**
 * Is there a pod that no scheduler has said anything about yet? kube-scheduler reports an unschedulable pod (the event
 * that the webhook is about) independently of writing so into the pod's status, so the notification may come first, and
 * there may be more to decide in a moment. Pods of bypassed schedulers are pending all the same.
 */
export const hasUnseenPods = ({ objects, options }: Pick<Scenario, 'objects' | 'options'>): boolean =>
  unboundPods(objects.pods).some((pod) => isUnseen(pod) && !isPending(pod, options));

const isUnseen = (pod: Pod): boolean =>
  pod.unscheduled === null && pod.deletedAt === null && pod.spec.schedulingGates.length === 0 && !isFinished(pod);
