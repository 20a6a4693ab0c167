import { type OptionsWithRights, rbac } from '../../providers/kubernetes/manifests/rbac.ts';
import type { E2eCluster } from './cluster.ts';

/** Grants `outrigger local` the rights that these options need, in addition to the rights of a default deployment. */
export async function allowOptions({ kube, name: cluster }: E2eCluster, options: OptionsWithRights): Promise<void> {
  const ordinary = new Set(rbac().items[0].rules.map((rule) => JSON.stringify(rule)));
  const [role, binding] = rbac(undefined, false, undefined, options).items;
  const rules = role.rules.filter((rule) => !ordinary.has(JSON.stringify(rule)));
  const api = '/apis/rbac.authorization.k8s.io/v1';
  const name = `options-${cluster}`;
  await kube.create(`${api}/clusterroles`, { metadata: { name }, rules });
  await kube.create(`${api}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { ...binding.roleRef, name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'outrigger' }],
  });
}
