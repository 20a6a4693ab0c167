import type { KubeAttributes } from './records.ts';

/** A rule of a ClusterRole or a Role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface RbacObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

/** Does RBAC allow it to these groups? As https://kubernetes.io/docs/reference/access-authn-authz/rbac/ has it. */
export const permits = (objects: readonly RbacObject[], groups: readonly string[], asked: KubeAttributes): boolean =>
  objects.some(
    ({ metadata, roleRef, subjects = [] }) =>
      roleRef !== undefined &&
      (metadata.namespace === undefined || metadata.namespace === asked.namespace) &&
      subjects.some(({ kind, name }) => kind === 'Group' && groups.includes(name)) &&
      objects.some(
        (role) =>
          role.kind === roleRef.kind &&
          role.metadata.name === roleRef.name &&
          (role.kind === 'ClusterRole' || role.metadata.namespace === metadata.namespace) &&
          (role.rules ?? []).some((rule) => covers(rule, asked)),
      ),
  );

const covers = (rule: Rule, { verb, group, resource, name }: KubeAttributes): boolean =>
  rule.verbs.includes(verb) &&
  rule.apiGroups.includes(group) &&
  (rule.resources.includes(resource) || rule.resources.includes('*')) &&
  (rule.resourceNames === undefined || (name !== null && rule.resourceNames.includes(name)));

/** A verb on a resource that a role allows, and the role's objects without the verb. */
export interface RbacMutant {
  readonly name: string;
  readonly objects: readonly RbacObject[];
}

/** The objects without each verb on each resource, and without each binding. */
export function rbacMutants(objects: readonly RbacObject[]): readonly RbacMutant[] {
  const without = objects.flatMap((role, index) =>
    (role.rules ?? []).flatMap((rule, place) =>
      rule.apiGroups.flatMap((group) =>
        rule.resources.flatMap((resource) =>
          rule.verbs.map((verb) => ({
            name: `${role.kind} ${role.metadata.name}: ${verb} ${group === '' ? resource : `${group}/${resource}`}`,
            objects: objects.with(index, { ...role, rules: reduced(role.rules!, place, resource, verb) }),
          })),
        ),
      ),
    ),
  );
  const unbound = objects.flatMap((binding, index) =>
    binding.roleRef === undefined
      ? []
      : [{ name: `${binding.kind} ${binding.metadata.name}`, objects: objects.toSpliced(index, 1) }],
  );
  return [...without, ...unbound];
}

function reduced(rules: readonly Rule[], place: number, resource: string, verb: string): readonly Rule[] {
  const rule = rules[place]!;
  return rules.toSpliced(
    place,
    1,
    { ...rule, resources: rule.resources.filter((each) => each !== resource) },
    { ...rule, resources: [resource], verbs: rule.verbs.filter((each) => each !== verb) },
  );
}
