import { MANAGED_BY } from './object.ts';

const API_GROUP = 'rbac.authorization.k8s.io';

export const clusterRole = <Rules>(name: string, rules: Rules) =>
  ({
    apiVersion: `${API_GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels: MANAGED_BY },
    rules,
  }) as const;

/** Gives the role of this name to the group of this name. */
export const binding = (name: string) =>
  ({
    apiVersion: `${API_GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: MANAGED_BY },
    roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: API_GROUP, kind: 'Group', name }],
  }) as const;
