import { keyOf, NEW_POD, type Pod } from '../model/cluster/pod.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { clip } from '../model/values/clip.ts';
import { byName } from '../model/values/names.ts';
import { err, ok, type Result } from '../model/values/result.ts';
import type { RequestedPods } from './quota-ledger.ts';
import { presentItems } from '../model/values/optional.ts';

/**
 * An unscheduled pod of the simulation, like another pod. It has no claims, which belong to real pods: claims would tie
 * the virtual pod to their volumes, or keep real pods from the volumes. A PodGroup would count the virtual pod as a real pod.
 *
 * @param uid of the object that asks for it.
 */
export const virtualPod = ({ namespace, name, uid }: Pick<Pod, 'namespace' | 'name' | 'uid'>, like: Pod): Pod => ({
  ...like,
  namespace,
  name,
  uid: `virtual-${uid}`,
  annotations: {},
  createdAt: null,
  controller: null,
  ...NEW_POD,
  unscheduled: { reason: 'Unschedulable', since: null },
  spec: {
    ...like.spec,
    schedulingGates: [],
    podGroup: undefined,
    volumes: like.spec.volumes.filter(({ kind }) => kind !== 'claim' && kind !== 'ephemeralClaim'),
  },
});

/** The pods of a PodTemplate. @returns why there are none, in words */
export function podsOfTemplate(
  namespace: string,
  name: string,
  { podTemplates }: Pick<ClusterObjects, 'podTemplates'>,
): Result<Omit<RequestedPods, 'count'>, string> {
  const found = podTemplates.find((one) => one.namespace === namespace && one.name === name);
  if (found === undefined) {
    return err(clip(`there is no PodTemplate ${namespace}/${name}`));
  }
  const { pod, priorityClass, limits } = found;
  return ok({ pod, priorityClasses: presentItems([priorityClass]), limits });
}

/** The pod that was created last; `null` where there are none. */
export const newestPod = (pods: readonly Pod[]): Pod | null =>
  pods.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || byName(keyOf(a), keyOf(b)))[0] ?? null;

/** The PriorityClasses that a pod may be of: several where classes have the same value. */
export const classesOf = ({ spec }: Pod, classes: ClusterObjects['priorityClasses']): readonly string[] =>
  classes.filter(({ value }) => value === spec.priority).map(({ name }) => name);
