import { runSimulation, type Simulation } from '@cloud-copilot/iam-simulate';
import { resourcesOf, type Resource, type Template } from './synthesize.ts';
import type { Resolve } from './resolve.ts';

export interface Statement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal?: unknown;
  readonly Action: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A role of the template: who may take it, and what it may do. */
export interface RoleRights {
  readonly id: string;
  readonly arn: string;
  readonly trust: readonly Statement[];
  /** The statements of all its policies. */
  readonly statements: readonly Statement[];
}

/** Something is about to be done with a resource. */
export interface Request {
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, string | string[]>>;
}

interface Document {
  readonly Statement: readonly Statement[];
}

/** @throws Error for a managed policy: its text would have to be known here. */
export function rolesOf(template: Template, resolve: Resolve): readonly RoleRights[] {
  const policies = resourcesOf(template, 'AWS::IAM::Policy').map(([, resource]) => propertiesOf(resource, resolve));
  return resourcesOf(template, 'AWS::IAM::Role').map(([id, resource]) => {
    const role = propertiesOf(resource, resolve);
    const managed = role['ManagedPolicyArns'] as readonly string[] | undefined;
    if (managed !== undefined && managed.length > 0)
      throw new Error(`${id} has managed policies, whose text is not known here: ${managed.join(', ')}`);
    const attached = policies.filter(({ Roles }) => (Roles as readonly string[]).includes(id));
    const inline = (role['Policies'] ?? []) as readonly { readonly PolicyDocument: Document }[];
    const documents = [
      ...attached.map(({ PolicyDocument }) => policyOf(PolicyDocument)),
      ...inline.map((each) => each.PolicyDocument),
    ];
    return {
      id,
      arn: String(resolve({ 'Fn::GetAtt': [id, 'Arn'] })),
      trust: (role['AssumeRolePolicyDocument'] as Document).Statement,
      statements: documents.flatMap(({ Statement }) => Statement),
    };
  });
}

/** A policy, which a template may have as JSON in a text: CloudFormation takes both. */
const policyOf = (policy: unknown): Document => (typeof policy === 'string' ? JSON.parse(policy) : policy) as Document;

export const propertiesOf = ({ Properties }: Resource, resolve: Resolve): Readonly<Record<string, unknown>> =>
  resolve(Properties ?? {}) as Readonly<Record<string, unknown>>;

/** Who asks, and what is said about it. */
export interface Asking {
  /** ARN of a role, name of a service, or `null`: nobody in particular. */
  readonly principal: string | null;
  readonly identity: readonly Statement[];
  /** The policy of the resource, where it has one. */
  readonly resource?: readonly Statement[];
}

/**
 * Does IAM allow it?
 *
 * @throws Error when the simulator does not know the action, or finds fault with a policy or the resource.
 */
export async function allows(
  account: string,
  asking: Asking,
  { action, resource, context }: Request,
): Promise<boolean> {
  const { principal, identity, resource: resourcePolicy } = asking;
  const simulation: Simulation = {
    request: {
      principal: principal ?? { type: 'Anonymous' },
      action,
      resource: { resource, accountId: account },
      contextVariables: { 'aws:SecureTransport': 'true', ...context },
    },
    identityPolicies: identity.length === 0 ? [] : [{ name: 'role', policy: documentOf(identity) }],
    serviceControlPolicies: [],
    resourceControlPolicies: [],
    ...(resourcePolicy === undefined || resourcePolicy.length === 0
      ? {}
      : { resourcePolicy: documentOf(resourcePolicy) }),
  };
  const result = await runSimulation(simulation, { simulationMode: 'Strict' });
  if (result.resultType === 'error')
    throw new Error(`${action} on ${resource} cannot be judged: ${JSON.stringify(result.errors)}`);
  return result.overallResult === 'Allowed';
}

const documentOf = (statements: readonly Statement[]) => ({ Version: '2012-10-17', Statement: statements });
