import { MANAGED_BY } from './object.ts';

const API_GROUP = 'rbac.authorization.k8s.io';

/** The RBAC verbs in use. */
export type Verb = 'list' | 'watch' | 'get' | 'create' | 'update' | 'patch' | 'delete';

/** The right to do something with resources of a group. */
export const rule = (verbs: readonly Verb[], apiGroup: string, ...resources: readonly string[]) => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});

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
