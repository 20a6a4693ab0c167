import { applyObject } from '../../providers/kubernetes/apply.ts';
import type { Transport } from '../../providers/kubernetes/client/transport.ts';
import type { rbac } from '../../providers/kubernetes/manifests/rbac.ts';

const USER = 'a-function';

/**
 * Gives a user the rights that a deployment has, and no others.
 *
 * @returns what calls as this user
 */
export async function withDeploymentRights(
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
  return {
    ...admin,
    send: (request, read, signal) => admin.send({ ...request, actingAs: USER }, read, signal),
  };
}
