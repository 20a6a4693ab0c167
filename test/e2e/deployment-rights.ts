import { applyObject } from '../../providers/kubernetes/apply.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport, type Transport } from '../../providers/kubernetes/client/transport.ts';
import type { rbac } from '../../providers/kubernetes/manifests/rbac.ts';
import { type OwnApiServer, startOwnApiServer } from './own-api-server.ts';

const USER = 'a-function';

/** An API server of a test file's own, where `asFunction` has the rights of a deployment, and no others. */
export interface DeploymentServer extends OwnApiServer {
  readonly asFunction: Transport;
}

/** @param name of the folder of its data and logs */
export async function startWithDeploymentRights(
  name: string,
  rights: Pick<ReturnType<typeof rbac>, 'items'>,
): Promise<DeploymentServer> {
  const api = await startOwnApiServer(name);
  const admin = createTransport(await connectionOfKubeconfig({ file: api.kubeconfig, context: null }));
  return {
    ...api,
    asFunction: await withDeploymentRights(admin, rights),
    stop: async () => {
      admin.close();
      await api.stop();
    },
  };
}

/**
 * Gives a user the rights that a deployment has, and no others.
 *
 * @returns what calls as this user
 */
async function withDeploymentRights(
  admin: Transport,
  { items }: Pick<ReturnType<typeof rbac>, 'items'>,
): Promise<Transport> {
  for (const object of JSON.parse(
    JSON.stringify(items).replaceAll(
      /\{[^{}]*"kind":"Group","name":"outrigger"\}/g,
      JSON.stringify({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }),
    ),
  ) as typeof items) {
    await applyObject(admin, object);
  }
  return { ...admin, send: (request, read, signal) => admin.send({ ...request, actingAs: USER }, read, signal) };
}
