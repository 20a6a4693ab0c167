import type { RoleRights, Statement } from './policies.ts';
import type { Resolve } from './resolve.ts';
import type { Template } from './synthesize.ts';

/** A role that no stack makes: the outputs of the template say what it is to be. */
export interface ForeignRole extends RoleRights {
  readonly account: string;
  /** Groups in the cluster that its access entry names. */
  readonly groups: readonly string[];
}

/** Its name here, where the roles of a template have their logical ids. */
const ID = 'RoleOfTheCluster';

/** The role in the account of the cluster, as the outputs describe it; `null`: there is none. */
export function foreignRoleOf({ Outputs = {} }: Template, resolve: Resolve): ForeignRole | null {
  const output = (name: string): string => String(resolve(Outputs[name]?.Value));
  if (Outputs['RoleAccessEntry'] === undefined) return null;
  const statements = (name: string): readonly Statement[] =>
    (JSON.parse(output(name)) as { readonly Statement: readonly Statement[] }).Statement;
  const [, arn, groups] = / --principal-arn (\S+) --kubernetes-groups (.+)$/.exec(output('RoleAccessEntry'))!;
  return {
    id: ID,
    arn: arn!,
    account: arn!.split(':')[4]!,
    trust: statements('RoleTrust'),
    statements: statements('RolePermissions'),
    groups: groups!.split(' '),
  };
}
