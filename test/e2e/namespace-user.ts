import { onTestFinished, vi } from 'vitest';
import { connection } from './connection.ts';
import { kube as connect, type Kube, KubeError } from './servers/kube.ts';
import { PATIENCE_MS } from './servers/server-process.ts';

/** A namespace, and its user with the ClusterRole `edit` there, and no right elsewhere. */
export interface Tenant {
  readonly namespace: string;
  /** Calls with a token of the API server's for a ServiceAccount. */
  readonly user: Kube;
  /** Lets the user create further resources in the namespace, as administrators may. */
  allow(apiGroups: readonly string[], resources: readonly string[]): Promise<void>;
}

const API_GROUP = 'rbac.authorization.k8s.io';
const NAME = 'developer';

/** Creates a namespace with a user for the running test. */
export async function openNamespace(kube: Kube, namespace: string): Promise<Tenant> {
  await kube.create('/api/v1/namespaces', { metadata: { name: namespace } });
  onTestFinished(() => kube.remove(`/api/v1/namespaces/${namespace}`));
  const inNamespace = `/api/v1/namespaces/${namespace}`;
  const rights = `/apis/${API_GROUP}/v1/namespaces/${namespace}`;
  const bind = async (kind: string, role: string) =>
    await kube.create(`${rights}/rolebindings`, {
      metadata: { name: role },
      roleRef: { apiGroup: API_GROUP, kind, name: role },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace }],
    });

  await kube.create(`${inNamespace}/serviceaccounts`, { metadata: { name: NAME } });
  await bind('ClusterRole', 'edit');
  const { status } = await kube.create<{ readonly status: { readonly token: string } }>(
    `${inNamespace}/serviceaccounts/${NAME}/token`,
    { spec: { expirationSeconds: 3_600 } },
  );
  const user = connect({ ...connection(), token: status.token });
  onTestFinished(() => user.close());
  /** The API server knows a binding a moment after it was created. */
  const untilAllowed = (path: string) =>
    vi.waitFor(async () => await user.list(path), { timeout: PATIENCE_MS, interval: 100 });
  await untilAllowed(`${inNamespace}/configmaps`);
  return {
    namespace,
    user,
    async allow(apiGroups, resources) {
      await kube.create(`${rights}/roles`, {
        metadata: { name: 'more' },
        rules: [{ apiGroups, resources, verbs: ['create', 'list'] }],
      });
      await bind('Role', 'more');
      await untilAllowed(`${inNamespace}/${resources[0]}`);
    },
  };
}

/** Status and text of a request that is refused; an empty text for one that is not. */
export async function refusalOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return '';
  } catch (error) {
    if (error instanceof KubeError) return `${error.status} ${error.message}`;
    throw error;
  }
}
