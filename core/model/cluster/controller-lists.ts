import { mapOptional } from '../values/optional.ts';
import { rememberedOf } from '../values/remembered.ts';
import type { Pod } from './pod.ts';
import { placeOfController, sortedControllers } from './sorted-objects.ts';
import { type Controller, type ControllerKind, ownKindOf } from './workloads.ts';

/** The DaemonSets of a list. */
export const daemonSetsAmong = rememberedOf((controllers: readonly Controller[]): readonly Controller[] =>
  controllers.filter(({ kind }) => kind === 'DaemonSet'),
);

/** The kinds of which a list has controllers. */
export const kindsAmong = rememberedOf(
  (controllers: readonly Controller[]): ReadonlySet<ControllerKind> => new Set(controllers.map(({ kind }) => kind)),
);

/**
 * The controller of a pod, of its namespace and of Kubernetes' own kinds; `null` where there is none. The kind and the name decide, as in
 * Cluster Autoscaler; the uid, where it is known, comes first.
 */
export const listedController = (controllers: readonly Controller[], pod: Pod): Controller | null =>
  controllerByUid(controllers, pod) ?? controllerByName(controllers, pod);

function controllerByName(controllers: readonly Controller[], { namespace, controller }: Pod): Controller | null {
  const kind = mapOptional(controller, ownKindOf);
  if (controller === null || kind === null) {
    return null;
  }
  const { name } = controller;
  const inOrder = sortedControllers(controllers);
  const found = inOrder[placeOfController(inOrder, { kind, namespace, name })];
  return found?.name === name && found.namespace === namespace && found.kind === kind ? found : null;
}

/**
 * The controller that a pod's owner reference gives the uid of, among those of the pod's namespace and of Kubernetes'
 * own kinds; `null` where there is none. The controller is looked up by name first: a list by uid is made only if that
 * finds another controller, since a cluster may hold thousands of Jobs, and each Job that ends makes a new list.
 */
export function controllerByUid(controllers: readonly Controller[], pod: Pod): Controller | null {
  const kind = mapOptional(pod.controller, ownKindOf);
  if (pod.controller === null || kind === null) {
    return null;
  }
  const { uid } = pod.controller;
  const named = controllerByName(controllers, pod);
  if (uid !== '' && named?.uid === uid) {
    return named;
  }
  const found = mapByUid(controllers).get(uid);
  return found?.namespace === pod.namespace && found.kind === kind ? found : null;
}

const mapByUid = rememberedOf((controllers: readonly Controller[]): ReadonlyMap<string, Controller> => {
  const byUid = new Map<string, Controller>();
  for (const one of controllers) {
    if (one.uid !== '') {
      byUid.set(one.uid, one);
    }
  }
  return byUid;
});
