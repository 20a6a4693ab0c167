import { controllerByUid } from '../../model/cluster/controller-lists.ts';
import type { Pod } from '../../model/cluster/pod.ts';
import { type Controller, ownKindOf } from '../../model/cluster/workloads.ts';
import type { DrainContext } from './rule.ts';

/**
 * Finds the object behind a pod's owner reference, among those of the pod's namespace. The kind, of Kubernetes' own, and
 * the name decide, as in Cluster Autoscaler; the uid, where it is known, is the shorter way.
 */
export function controllersOf(controllers: readonly Controller[]): DrainContext['controllers'] {
  const byUid = controllersByUid(controllers);
  let byName: ReadonlyMap<string, Controller> | null = null;
  return (pod: Pod) => {
    if (pod.controller === null || ownKindOf(pod.controller) === null) {
      return null;
    }
    const found = byUid(pod);
    if (found !== null) {
      return found;
    }
    // Made on its first use: uids find nearly all, and a cluster may hold thousands of Jobs that have ended.
    byName ??= new Map(controllers.map((one) => [`${one.kind} ${one.namespace}/${one.name}`, one]));
    return byName.get(`${pod.controller.kind} ${pod.namespace}/${pod.controller.name}`) ?? null;
  };
}

/** The same by uid alone: a controller of the same name that came later is another one. */
export const controllersByUid =
  (controllers: readonly Controller[]): DrainContext['controllers'] =>
  (pod) =>
    controllerByUid(controllers, pod);
