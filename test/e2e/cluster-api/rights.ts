import { clusterApiRbac, type ClusterApiRoles } from '../../../providers/kubernetes/manifests/cluster-api.ts';
import type { Kube } from '../servers/kube.ts';

const API = '/apis/rbac.authorization.k8s.io/v1';

/**
 * Gives a user the rights that a deployment's functions have to the resources of Cluster API, and no more.
 *
 * @param purpose tells these roles from others.
 * @returns what takes them back.
 */
export async function grantClusterApi(
  management: Kube,
  user: string,
  purpose: string,
  roles: ClusterApiRoles,
): Promise<() => Promise<void>> {
  const created: string[] = [];
  for (const item of clusterApiRbac(roles)) {
    const name = `${item.metadata.name}-${purpose}`;
    const path = `${API}/${item.kind.toLowerCase()}s`;
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
    await management.create(path, {
      ...item,
      metadata: { name },
      ...('roleRef' in item ? { roleRef: { ...item.roleRef, name }, subjects } : {}),
    });
    created.push(`${path}/${name}`);
  }
  return async () => {
    for (const path of created) await management.remove(path);
  };
}
