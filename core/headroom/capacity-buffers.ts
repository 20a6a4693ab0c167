import { ACTIVE_CAPACITY, type CapacityBuffer, type ScalableRef } from '../model/cluster/capacity-buffer.ts';
import { type AmountsSpec, isFinished, type Pod } from '../model/cluster/pod.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import { apiGroupOf } from '../model/cluster/workloads.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { clip } from '../model/values/clip.ts';
import { err, ok, type Result } from '../model/values/result.ts';
import type { RequestedPods } from './quota-ledger.ts';
import { classesOf, newestPod, virtualPod } from './virtual-pod.ts';

type Objects = Pick<ClusterObjects, 'pods' | 'podTemplates' | 'priorityClasses'>;

/**
 * The pods that a buffer holds room for: the smallest number that `replicas`, `percentage` and `limits` allow, of the
 * template, or like the newest pod of what `scalableRef` names.
 *
 * Follows Cluster Autoscaler's `capacitybuffer/translators`: the scalable is known by a pod of its, which must have been seen.
 *
 * @returns why there is no room, in words
 */
export function bufferRoom(buffer: CapacityBuffer, objects: Objects): Result<RequestedPods, string> {
  const { strategy, podTemplate, scalable, replicas, percentage, limits } = buffer;
  if (strategy !== ACTIVE_CAPACITY) {
    return err(clip(`provisioning strategy ${strategy} is not supported`));
  }
  if ((podTemplate === null) === (scalable === null)) {
    return err('exactly one of podTemplateRef and scalableRef must be set');
  }
  const like = scalable === null ? templateOf(buffer, objects) : newestOf(scalable, buffer.namespace, objects);
  if (!like.ok) {
    return like;
  }
  const pod = virtualPod({ ...buffer, name: `capacity-buffer-${buffer.name}` }, like.value.pod);
  const fromPercentage =
    percentage === null || like.value.running === null ? null : Math.ceil((percentage * like.value.running) / 100);
  const fromLimits = limits === null ? null : withinLimits(pod, limits);
  if (limits !== null && fromLimits === null) {
    return err('no resource of limits is requested by the pod');
  }
  const asked = [replicas, fromPercentage].filter((count) => count !== null);
  const most = fromLimits ?? Number.POSITIVE_INFINITY;
  if (asked.length === 0 && fromLimits === null) {
    return err('replicas, percentage and limits are not defined');
  }
  return ok({
    pod,
    count: Math.max(0, Math.min(asked.length === 0 ? most : Math.max(...asked), most)),
    priorityClasses: like.value.priorityClasses,
    limits: like.value.limits,
  });
}

/** The pod that virtual pods are copies of, and how many such pods are running; `null` for a template. */
interface Like {
  readonly pod: Pod;
  readonly running: number | null;
  readonly priorityClasses: RequestedPods['priorityClasses'];
  readonly limits?: AmountsSpec | undefined;
}

function templateOf({ namespace, podTemplate }: CapacityBuffer, { podTemplates }: Objects): Result<Like, string> {
  const found = podTemplates.find((one) => one.namespace === namespace && one.name === podTemplate);
  if (found === undefined) {
    return err(clip(`there is no PodTemplate ${namespace}/${podTemplate}`));
  }
  return ok({
    pod: found.pod,
    running: null,
    priorityClasses: found.priorityClass === undefined ? [] : [found.priorityClass],
    limits: found.limits,
  });
}

function newestOf(scalable: ScalableRef, namespace: string, { pods, priorityClasses }: Objects): Result<Like, string> {
  const own = pods.filter(
    (pod) => pod.namespace === namespace && pod.deletedAt === null && !isFinished(pod) && belongsTo(pod, scalable),
  );
  const newest = newestPod(own);
  return newest === null
    ? err(clip(`no pod of ${scalable.kind} ${namespace}/${scalable.name} has been seen`))
    : ok({ pod: newest, running: own.length, priorityClasses: classesOf(newest, priorityClasses) });
}

const REVISION_LABEL = 'pod-template-hash';

/** A Deployment's pods are controlled by its ReplicaSets, whose names have the revision that is on their pods. */
function belongsTo({ controller, labels }: Pod, { apiGroup, kind, name }: ScalableRef): boolean {
  if (controller === null) {
    return false;
  }
  const ofKind = (owner: string): boolean =>
    controller.kind === owner && apiGroupOf(controller.apiVersion) === apiGroup;
  return kind === 'Deployment' && apiGroup === 'apps'
    ? ofKind('ReplicaSet') &&
        labels[REVISION_LABEL] !== undefined &&
        controller.name === `${name}-${labels[REVISION_LABEL]}`
    : ofKind(kind) && controller.name === name;
}

/** The number of such pods within the limits; `null`: they request nothing that is limited. */
function withinLimits(pod: Pod, limits: Readonly<Record<string, number>>): number | null {
  const counts = Object.entries(podRequests(pod)).flatMap(([resource, amount]) =>
    amount > 0 && limits[resource] !== undefined ? [Math.floor(limits[resource] / amount)] : [],
  );
  return counts.length === 0 ? null : Math.min(...counts);
}
