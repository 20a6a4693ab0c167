import type { Pod } from '../../model/pod.ts';
import { type Controller, ownKindOf } from '../../model/workloads.ts';
import type { DrainContext } from './drainability.ts';

/**
 * Finds the object behind a pod's owner reference, among those of the pod's namespace. The kind, of Kubernetes' own, and
 * the name decide, as in Cluster Autoscaler; the uid, where it is known, is the shorter way.
 */
export function controllersOf(controllers: readonly Controller[]): DrainContext['controllers'] {
  const byUid = controllersByUid(controllers);
  const byName = new Map(controllers.map((one) => [`${one.kind} ${one.namespace}/${one.name}`, one]));
  return (pod: Pod) => {
    if (pod.controller === null || ownKindOf(pod.controller) === null) {
      return null;
    }
    const { kind, name } = pod.controller;
    return byUid(pod) ?? byName.get(`${kind} ${pod.namespace}/${name}`) ?? null;
  };
}

/** The same by uid alone: a controller of the same name that came later is another one. */
export function controllersByUid(controllers: readonly Controller[]): DrainContext['controllers'] {
  const byUid = new Map(controllers.flatMap((one) => (one.uid === '' ? [] : [[one.uid, one] as const])));
  return ({ namespace, controller }: Pod) => {
    const found = controller === null ? undefined : byUid.get(controller.uid);
    return found?.namespace === namespace && found.kind === ownKindOf(controller!) ? found : null;
  };
}
