import type { Pod } from '../../model/pod.ts';
import type { Controller } from '../../model/workloads.ts';
import type { DrainContext } from './drainability.ts';

/**
 * Finds the object behind a pod's owner reference. The kind and the name decide, as in Cluster Autoscaler; the uid, where
 * it is known, is the shorter way.
 */
export function controllersOf(controllers: readonly Controller[]): DrainContext['controllers'] {
  const byUid = new Map<string, Controller>();
  const byName = new Map<string, Controller>();
  for (const controller of controllers) {
    if (controller.uid !== '') {
      byUid.set(controller.uid, controller);
    }
    byName.set(`${controller.kind} ${controller.namespace}/${controller.name}`, controller);
  }
  return ({ namespace, controller }: Pod) => {
    if (controller === null) {
      return null;
    }
    const { kind, name, uid } = controller;
    return byUid.get(uid) ?? byName.get(`${kind} ${namespace}/${name}`) ?? null;
  };
}
