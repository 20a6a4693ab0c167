import type { RoleRights, Statement } from './policies.ts';
import type { Resolve } from './resolve.ts';
import type { Template } from './synthesize.ts';

/** A role that no stack makes: the outputs of the template say what it is to be. */
export interface ForeignRole extends RoleRights {
  readonly account: string;
  /** Logical id of the output with its access entry. */
  readonly entry: string;
  /** The cluster that it is let into. */
  readonly cluster: string;
  /** Groups there that its access entry names. */
  readonly groups: readonly string[];
}

/**
 * The outputs that describe a role of another account, and the role's name in these tests, where roles of the template
 * have their logical ids.
 */
const DESCRIBED = [
  { id: 'RoleOfTheCluster', trust: 'RoleTrust', permissions: 'RolePermissions', entry: 'RoleAccessEntry' },
  {
    id: 'RoleOfTheManagementCluster',
    trust: 'ManagementRoleTrust',
    permissions: 'ManagementRolePermissions',
    entry: 'ManagementAccessEntries',
  },
] as const;

/** The roles in the account of the cluster and in that of its management cluster, as the outputs describe them. */
export function foreignRolesOf({ Outputs = {} }: Template, resolve: Resolve): readonly ForeignRole[] {
  const output = (name: string): string => String(resolve(Outputs[name]?.Value));
  const statements = (name: string): readonly Statement[] =>
    (JSON.parse(output(name)) as { readonly Statement: readonly Statement[] }).Statement;
  return DESCRIBED.filter(({ trust }) => Outputs[trust] !== undefined).map(({ id, trust, permissions, entry }) => {
    const command = / --cluster-name (\S+) .*--principal-arn (\S+) --kubernetes-groups (.+)$/;
    const [, cluster, arn, groups] = command.exec(output(entry))!;
    return {
      id,
      arn: arn!,
      account: arn!.split(':')[4]!,
      trust: statements(trust),
      statements: statements(permissions),
      entry,
      cluster: cluster!,
      groups: groups!.split(' '),
    };
  });
}
