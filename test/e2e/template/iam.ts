import { allows, type RoleRights, rolesOf, propertiesOf, type Request, type Statement } from './policies.ts';
import { foreignRolesOf } from './foreign-role.ts';
import type { Records } from './records.ts';
import type { Resolve } from './resolve.ts';
import { resourcesOf, type Template } from './synthesize.ts';

/** Judges requests by the template's policies, and remembers each. */
export interface Iam {
  readonly roles: readonly RoleRights[];
  readonly roleByArn: (arn: string) => RoleRights;
  /** @param principal logical id of a role, name of a service, or `null`: nobody in particular. */
  readonly judge: (principal: string | null, request: Request) => Promise<boolean>;
  /** May the service, or the role with this logical id, take the role? */
  readonly mayAssume: (principal: string, role: RoleRights, context: Request['context']) => Promise<boolean>;
}

/** The policies of resources, by the ARN of the resource. */
export type ResourcePolicies = ReadonlyMap<string, readonly Statement[]>;

export function iamOf(account: string, template: Template, resolve: Resolve, records: Records): Iam {
  const foreign = foreignRolesOf(template, resolve);
  const roles = [...rolesOf(template, resolve), ...foreign];
  const policies = resourcePoliciesOf(template, resolve);
  const ask = async (
    principal: string | null,
    identity: readonly Statement[],
    request: Request,
    resource: readonly Statement[] | undefined,
    arn: string | null,
  ): Promise<boolean> => {
    const policyOf = resource === undefined ? null : request.resource;
    const other = foreign.find((role) => [arn, request.resource].includes(role.arn));
    const allowed = await allows(
      other?.account ?? account,
      { principal: arn, identity, ...(resource === undefined ? {} : { resource }) },
      request,
    );
    records.aws.push({ principal, request, policyOf, allowed });
    return allowed;
  };
  return {
    roles,
    roleByArn(arn) {
      const role = roles.find((each) => each.arn === arn);
      if (role === undefined) throw new Error(`The template has no role ${arn}`);
      return role;
    },
    judge(principal, request) {
      const role = roles.find(({ id }) => id === principal);
      return ask(principal, role?.statements ?? [], request, policies.get(request.resource), role?.arn ?? principal);
    },
    mayAssume(principal, role, context) {
      const caller = roles.find(({ id }) => id === principal);
      const who: Request['context'] = caller === undefined ? {} : { 'aws:PrincipalArn': caller.arn };
      const request = { action: 'sts:AssumeRole', resource: role.arn, context: { ...who, ...context } };
      return ask(principal, caller?.statements ?? [], request, role.trust, caller?.arn ?? principal);
    },
  };
}

/** Policies of queues, as they are, and of functions, put together from permissions as Lambda does. */
export function resourcePoliciesOf(template: Template, resolve: Resolve): ResourcePolicies {
  const policies = new Map<string, readonly Statement[]>();
  const add = (arn: string, ...statements: readonly Statement[]): void => {
    policies.set(arn, [...(policies.get(arn) ?? []), ...statements]);
  };
  for (const [, resource] of resourcesOf(template, 'AWS::SQS::QueuePolicy')) {
    const { Queues, PolicyDocument } = propertiesOf(resource, resolve) as {
      readonly Queues: readonly string[];
      readonly PolicyDocument: { readonly Statement: readonly Statement[] };
    };
    for (const [id] of resourcesOf(template, 'AWS::SQS::Queue'))
      if (Queues.includes(String(resolve({ Ref: id }))))
        add(String(resolve({ 'Fn::GetAtt': [id, 'Arn'] })), ...PolicyDocument.Statement);
  }
  for (const [id, resource] of resourcesOf(template, 'AWS::Lambda::Permission')) {
    const statement = statementOf(id, propertiesOf(resource, resolve) as unknown as Permission);
    const { FunctionName: name } = resource.Properties as { readonly FunctionName: unknown };
    const given = String(resolve(name));
    add(given.startsWith('arn:') ? given : String(resolve({ 'Fn::GetAtt': [given, 'Arn'] })), {
      ...statement,
      Resource: given,
    });
  }
  return policies;
}

interface Permission {
  readonly Action: string;
  readonly Principal: string;
  readonly SourceArn?: string;
  readonly SourceAccount?: string;
  readonly FunctionUrlAuthType?: string;
  readonly InvokedViaFunctionUrl?: boolean;
}

function statementOf(id: string, permission: Permission): Statement {
  const { Action, Principal, SourceArn, SourceAccount, FunctionUrlAuthType, InvokedViaFunctionUrl } = permission;
  const equal = {
    ...(SourceAccount === undefined ? {} : { 'aws:SourceAccount': SourceAccount }),
    ...(FunctionUrlAuthType === undefined ? {} : { 'lambda:FunctionUrlAuthType': FunctionUrlAuthType }),
  };
  const condition = {
    ...(SourceArn === undefined ? {} : { ArnLike: { 'aws:SourceArn': SourceArn } }),
    ...(Object.keys(equal).length === 0 ? {} : { StringEquals: equal }),
    ...(InvokedViaFunctionUrl === undefined
      ? {}
      : { Bool: { 'lambda:InvokedViaFunctionUrl': String(InvokedViaFunctionUrl) } }),
  };
  return {
    Sid: id,
    Effect: 'Allow',
    Principal: Principal.endsWith('.amazonaws.com') ? { Service: Principal } : Principal,
    Action,
    ...(Object.keys(condition).length === 0 ? {} : { Condition: condition }),
  };
}
