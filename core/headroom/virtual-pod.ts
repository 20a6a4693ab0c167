import { NEW_POD, type Pod } from '../model/cluster/pod.ts';

/**
 * A pod of the simulation, unscheduled, like another one. Without claims, which are of real pods: it would go where their
 * volumes are, or keep real pods from them.
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
