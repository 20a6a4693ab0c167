import {
  type CloudFormationClient,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import { StepError } from '../journal.ts';

/** A stack as CloudFormation describes it. */
export interface DeployedStack {
  /** ARN of the stack, by which a deleted stack is still found. */
  readonly id: string;
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A resource of a stack. */
export interface StackResource {
  readonly logicalId: string;
  readonly physicalId: string;
  readonly type: string;
}

/** The stack of one cluster, in CloudFormation. */
export interface StackClient {
  readonly cloudFormation: CloudFormationClient;
  readonly name: string;
  /** Waits between two looks at a stack that is being changed. */
  readonly pause: () => Promise<void>;
}

/** Does CloudFormation answer that the stack does not exist? */
export const isMissing = (error: unknown): boolean =>
  // CloudFormation has no code of its own for it.
  error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message);

/**
 * Reads a stack as it is now.
 *
 * @param id its name, or its ARN
 * @returns `null` where the stack does not exist or has been deleted
 */
export async function readStackNow(cloudFormation: CloudFormationClient, id: string): Promise<DeployedStack | null> {
  try {
    const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: id }));
    return Stacks.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE').map(toDeployed)[0] ?? null;
  } catch (error) {
    if (isMissing(error)) {
      return null;
    }
    throw error;
  }
}

const toDeployed = ({ StackId, StackStatus, Outputs = [], Parameters = [] }: Stack): DeployedStack => ({
  id: StackId ?? '',
  status: StackStatus ?? '',
  outputs: Object.fromEntries(Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue])),
  parameters: Object.fromEntries(
    Parameters.map(({ ParameterKey = '', ParameterValue = '' }) => [ParameterKey, ParameterValue]),
  ),
});

/** Reads the stack, once nothing is being changed any more: an earlier run may have been interrupted in the middle. */
export async function readStack(client: StackClient, id = client.name): Promise<DeployedStack | null> {
  for (;;) {
    const stack = await readStackNow(client.cloudFormation, id);
    // REVIEW_IN_PROGRESS: a change set was made for a stack that does not exist yet, and was not executed.
    if (stack === null || !/(?<!^REVIEW)_IN_PROGRESS$/.test(stack.status)) {
      return stack;
    }
    await client.pause();
  }
}

/** Whether the stack has resources: a stack that was never made, or whose creation was rolled back, has none. */
export const exists = (stack: DeployedStack | null): stack is DeployedStack =>
  stack !== null && !['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE'].includes(stack.status);

/**
 * Gives parameters of the stack new values, and leaves its template and its other parameters as they are. Parameters that
 * its template does not have are left out.
 *
 * @returns whether anything has changed
 * @throws StepError where CloudFormation cannot make the change
 */
export async function setParameters(
  client: StackClient,
  stack: DeployedStack,
  values: Readonly<Record<string, string>>,
): Promise<boolean> {
  const changed = Object.entries(values).filter(
    ([key, value]) => key in stack.parameters && stack.parameters[key] !== value,
  );
  if (changed.length === 0) {
    return false;
  }
  const given = new Map(changed);
  await client.cloudFormation.send(
    new UpdateStackCommand({
      StackName: client.name,
      UsePreviousTemplate: true,
      Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND'],
      Parameters: Object.keys(stack.parameters).map((ParameterKey) => {
        const ParameterValue = given.get(ParameterKey);
        return ParameterValue === undefined
          ? { ParameterKey, UsePreviousValue: true }
          : { ParameterKey, ParameterValue };
      }),
    }),
  );
  const after = await readStack(client);
  if (after?.status !== 'UPDATE_COMPLETE') {
    throw await failureOf(client, after, `Setting ${changed.map(([key]) => key).join(' and ')} of ${client.name}`);
  }
  return true;
}

/**
 * Deletes the stack, and waits until it is gone.
 *
 * @throws StepError where CloudFormation cannot delete it
 */
export async function deleteStack(client: StackClient, { id }: DeployedStack): Promise<void> {
  await client.cloudFormation.send(new DeleteStackCommand({ StackName: id }));
  const left = await readStack(client, id);
  if (left !== null) {
    throw await failureOf(client, left, `Deleting ${client.name}`);
  }
}

/** An error with the first reason in the stack's events. */
async function failureOf(client: StackClient, stack: DeployedStack | null, what: string): Promise<StepError> {
  let reason = 'the stack is gone';
  if (stack !== null) {
    reason = (await reasonIn(client, stack.id)) ?? `the stack is in state ${stack.status}`;
  }
  return new StepError(`${what} failed: ${reason}.`, [
    `aws cloudformation describe-stack-events --stack-name ${client.name}`,
  ]);
}

async function reasonIn({ cloudFormation }: StackClient, id: string): Promise<string | null> {
  const { StackEvents = [] } = await cloudFormation.send(new DescribeStackEventsCommand({ StackName: id }));
  // The newest come first. Of one change the oldest failure is the cause, and the others follow from it.
  const begun = StackEvents.findIndex(
    ({ PhysicalResourceId, ResourceStatus = '' }) =>
      PhysicalResourceId === id && /^(?:UPDATE|CREATE|DELETE)_IN_PROGRESS$/.test(ResourceStatus),
  );
  const ofChange = begun === -1 ? StackEvents : StackEvents.slice(0, begun);
  const failed = ofChange.findLast(
    ({ ResourceStatus = '', ResourceStatusReason = '' }) =>
      ResourceStatus.endsWith('_FAILED') && !/cancelled/i.test(ResourceStatusReason),
  );
  if (failed === undefined) {
    return null;
  }
  return `${failed.LogicalResourceId ?? ''}: ${failed.ResourceStatusReason ?? ''}`;
}

/** All resources of the stack that still exist. */
export async function listResources({ cloudFormation, name }: StackClient): Promise<readonly StackResource[]> {
  const found: StackResource[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client: cloudFormation },
    { StackName: name },
  )) {
    for (const { LogicalResourceId, PhysicalResourceId, ResourceType, ResourceStatus } of StackResourceSummaries) {
      if (PhysicalResourceId !== undefined && ResourceStatus !== 'DELETE_COMPLETE') {
        found.push({
          logicalId: LogicalResourceId ?? '',
          physicalId: PhysicalResourceId,
          type: ResourceType ?? '',
        });
      }
    }
  }
  return found;
}

/** The resource of a type whose logical id begins so; the rest of an id is a hash. `null` where there is none. */
export const resourceOf = (resources: readonly StackResource[], type: string, id: string): string | null =>
  resources.find((one) => one.type === type && new RegExp(`^${id}[0-9A-F]{8}$`).test(one.logicalId))?.physicalId ??
  null;

/** The table of the stack's state; `null`: it has none. */
export const tableOf = (resources: readonly StackResource[]): string | null =>
  resourceOf(resources, 'AWS::DynamoDB::GlobalTable', 'Table');
