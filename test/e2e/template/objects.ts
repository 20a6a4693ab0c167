import type { Kube } from '../servers/kube.ts';

const COLLECTIONS = [
  'rbac.authorization.k8s.io/v1/clusterroles',
  'rbac.authorization.k8s.io/v1/clusterrolebindings',
  'rbac.authorization.k8s.io/v1/namespaces/kube-system/roles',
  'rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings',
  'flowcontrol.apiserver.k8s.io/v1/flowschemas',
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
];

/** Removes objects that `objectsIn` gives. */
export async function removeObjects(kube: Kube, objects: readonly string[]): Promise<void> {
  for (const object of objects) {
    const [resource, name] = object.split('/', 2);
    await kube.remove(`/apis/${COLLECTIONS.find((each) => each.endsWith(`/${resource}`))}/${name}`);
  }
}

/** Objects of the kinds that Outrigger applies: `resource/name`. */
export async function objectsIn(kube: Kube): Promise<readonly string[]> {
  const names = COLLECTIONS.map(async (collection) => {
    const objects = await kube.list(`/apis/${collection}`);
    return objects.map(({ metadata }) => `${collection.split('/').at(-1)}/${metadata?.name}`);
  });
  return (await Promise.all(names)).flat().sort();
}
