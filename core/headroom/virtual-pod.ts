import { NEW_POD, type Pod } from '../model/cluster/pod.ts';

/**
 * An unscheduled pod of the simulation, like another pod. It has no claims, which belong to real pods: claims would tie
 * the virtual pod to their volumes, or keep real pods from the volumes.
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
    volumes: like.spec.volumes.filter(({ kind }) => kind !== 'claim' && kind !== 'ephemeralClaim'),
  },
});
