import type { V1Namespace } from '@kubernetes/client-node';
import { beforeAll } from 'vitest';
import { connection } from './connection.ts';
import { kube as connect, type Kube, type KubeObject } from './servers/kube.ts';

/** Leftovers of files; controllers before the pods that they would create again. */
const COLLECTIONS = [
  ['/apis/admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations'],
  ['/apis/batch/v1', 'cronjobs'],
  ['/apis/batch/v1', 'jobs'],
  ['/apis/apps/v1', 'daemonsets'],
  ['/apis/apps/v1', 'deployments'],
  ['/apis/apps/v1', 'statefulsets'],
  ['/apis/apps/v1', 'replicasets'],
  ['/api/v1', 'replicationcontrollers'],
  ['/apis/policy/v1', 'poddisruptionbudgets'],
  ['/api/v1', 'pods'],
  ['/api/v1', 'nodes'],
] as const;

/** Namespaces of the API server itself. */
const OWN_NAMESPACE = /^(?:default|kube-.*)$/;

/** Each file begins with a cluster without nodes and pods, whichever file had the servers before. */
beforeAll(async () => {
  const kube = connect(connection());
  for (const [api, resource] of COLLECTIONS) {
    for (const object of await kube.list(`${api}/${resource}`)) await kube.remove(pathOf(api, resource, object), 0);
  }
  for (const { metadata } of await kube.list<V1Namespace>('/api/v1/namespaces')) {
    if (!OWN_NAMESPACE.test(metadata!.name!)) await kube.remove(`/api/v1/namespaces/${metadata!.name}`);
  }
  for (const resource of ['pods', 'nodes']) await untilNone(kube, resource);
  kube.close();
});

const pathOf = (api: string, resource: string, { metadata }: KubeObject): string =>
  metadata?.namespace === undefined
    ? `${api}/${resource}/${metadata?.name}`
    : `${api}/namespaces/${metadata.namespace}/${resource}/${metadata.name}`;

async function untilNone(kube: Kube, resource: string): Promise<void> {
  await kube.until(`/api/v1/${resource}`, {
    what: `the end of all ${resource} of earlier files`,
    holds: (objects) => objects.length === 0,
  });
}
