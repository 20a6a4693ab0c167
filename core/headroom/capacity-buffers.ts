import type { CapacityBuffer, ScalableRef } from '../model/cluster/capacity-buffer.ts';
import { isFinished, type Pod } from '../model/cluster/pod.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import { apiGroupOf } from '../model/cluster/workloads.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { clip } from '../model/values/clip.ts';
import { mapOptional } from '../model/values/optional.ts';
import { err, ok, type Result } from '../model/values/result.ts';
import type { RequestedPods } from './quota-ledger.ts';
import { classesOf, newestPod, podsOfTemplate, virtualPod } from './virtual-pod.ts';

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
  const { podTemplate, scalable, replicas, percentage, limits } = buffer;
  if ((podTemplate === null) === (scalable === null)) {
    return err('exactly one of podTemplateRef and scalableRef must be set');
  }
  const like =
    scalable === null
      ? podsOfTemplate(buffer.namespace, podTemplate ?? '', objects)
      : newestOf(scalable, buffer.namespace, objects);
  if (!like.ok) {
    return like;
  }
  const { running, ...others }: Like = like.value;
  const pod = virtualPod({ ...buffer, name: `capacity-buffer-${buffer.name}` }, others.pod);
  const fromLimits = mapOptional(limits, (amounts) => withinLimits(pod, amounts));
  if (limits !== null && fromLimits === null) {
    return err('no resource of limits is requested by the pod');
  }
  const asked: number[] = [];
  if (replicas !== null) {
    asked.push(replicas);
  }
  if (percentage !== null && running !== undefined) {
    asked.push(Math.ceil((percentage * running) / 100));
  }
  const most = fromLimits ?? Number.POSITIVE_INFINITY;
  if (asked.length === 0 && fromLimits === null) {
    return err('replicas, percentage and limits are not defined');
  }
  const wanted = asked.length === 0 ? most : Math.max(...asked);
  return ok({ ...others, pod, count: Math.max(0, Math.min(wanted, most)) });
}

/** The pod that virtual pods are copies of, and how many such pods are running; absent for a template. */
interface Like extends Omit<RequestedPods, 'count'> {
  readonly running?: number;
}

function newestOf(scalable: ScalableRef, namespace: string, { pods, priorityClasses }: Objects): Result<Like, string> {
  const own = pods.filter(
    (pod) => pod.namespace === namespace && pod.deletedAt === null && !isFinished(pod) && belongsTo(pod, scalable),
  );
  const newest = newestPod(own);
  if (newest === null) {
    return err(clip(`no pod of ${scalable.kind} ${namespace}/${scalable.name} has been seen`));
  }
  return ok({ pod: newest, running: own.length, priorityClasses: classesOf(newest, priorityClasses) });
}

const REVISION_LABEL = 'pod-template-hash';

/** A Deployment's pods are controlled by its ReplicaSets, whose names have the revision that is on their pods. */
function belongsTo({ controller, labels }: Pod, { apiGroup, kind, name }: ScalableRef): boolean {
  if (controller === null) {
    return false;
  }
  const ofKind = (owner: string): boolean =>
    controller.kind === owner && apiGroupOf(controller.apiVersion) === apiGroup;
  if (kind !== 'Deployment' || apiGroup !== 'apps') {
    return ofKind(kind) && controller.name === name;
  }
  const revision = labels[REVISION_LABEL];
  return ofKind('ReplicaSet') && revision !== undefined && controller.name === `${name}-${revision}`;
}

/** The number of such pods within the limits; `null`: they request nothing that is limited. */
function withinLimits(pod: Pod, limits: Readonly<Record<string, number>>): number | null {
  let most: number | null = null;
  for (const [resource, amount] of Object.entries(podRequests(pod))) {
    const limit = limits[resource];
    if (amount > 0 && limit !== undefined) {
      most = Math.min(most ?? Number.POSITIVE_INFINITY, Math.floor(limit / amount));
    }
  }
  return most;
}
