import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../servers/proxy.ts';
import { autoScalingError, autoScalingResult, type Xml } from '../../providers/aws/wire-server.ts';
import type { ReadCall } from './aws-request.ts';
import { ACCOUNT, type Deployment } from './deployment.ts';
import { type Template, resourcesOf } from './synthesize.ts';

type Parameters = Readonly<Record<string, string>>;

export interface CloudFormationSettings {
  /** Name of the one stack that there may be. */
  readonly name: string;
  readonly template: Template;
  readonly region: string;
  /** Makes its resources. */
  readonly deploy: (parameters: Parameters) => Promise<Deployment>;
}

/** CloudFormation with one stack, whose resources are real ones: those of a deployment. */
export interface CloudFormation {
  /** As a change set of `cdk deploy` is executed: creates the stack, or updates it with other values of its parameters. */
  readonly deploy: (parameters: Parameters) => Promise<void>;
  /** @param slow the change goes on for a while after the answer */
  readonly answer: (call: ReadCall, slow: boolean) => Promise<Answer>;
  /** `null`: there is no stack, or it is not complete. */
  readonly deployment: () => Deployment | null;
  readonly status: () => string | null;
  readonly parameters: () => Parameters;
  /** Changes made, in order: `create`, `update Schedules`, `delete`. */
  readonly changes: readonly string[];
  /** Deletes the stack, where there is one. */
  readonly remove: () => Promise<void>;
}

interface Stack {
  status: string;
  parameters: Parameters;
  deployment: Deployment | null;
}

const SLOW_MS = 1_500;
const FINISHED = /_COMPLETE$/;

export function startCloudFormation({ name, template, region, deploy }: CloudFormationSettings): CloudFormation {
  const id = `arn:aws:cloudformation:${region}:${ACCOUNT}:stack/${name}/1`;
  let stack: Stack | null = null;
  let change: Promise<void> = Promise.resolve();
  const changes: string[] = [];
  const defaults = Object.fromEntries(
    Object.entries(template.Parameters ?? {}).map(([key, { Default = '' }]) => [key, Default]),
  );

  const create = async (parameters: Parameters): Promise<void> => {
    changes.push('create');
    const created: Stack = {
      status: 'CREATE_IN_PROGRESS',
      parameters: { ...defaults, ...parameters },
      deployment: null,
    };
    stack = created;
    created.deployment = await deploy(created.parameters);
    created.status = 'CREATE_COMPLETE';
  };
  const differing = (parameters: Parameters): readonly string[] =>
    Object.keys(parameters).filter((key) => stack?.parameters[key] !== parameters[key]);
  const update = async (parameters: Parameters, slow: boolean): Promise<void> => {
    const updated = stack!;
    changes.push(`update ${differing(parameters).toSorted().join(' ')}`);
    updated.status = 'UPDATE_IN_PROGRESS';
    updated.parameters = { ...updated.parameters, ...parameters };
    if (slow) await delay(SLOW_MS);
    await updated.deployment!.update(parameters);
    updated.status = 'UPDATE_COMPLETE';
  };
  const remove = async (slow: boolean): Promise<void> => {
    const removed = stack;
    if (removed === null) return;
    changes.push('delete');
    removed.status = 'DELETE_IN_PROGRESS';
    if (slow) await delay(SLOW_MS);
    await removed.deployment?.remove();
    stack = null;
  };
  /** Makes one change at a time; the next change and the test fail if it fails. */
  const begin = (made: Promise<void>, slow: boolean): Promise<void> => {
    change = made;
    return slow ? Promise.resolve() : made;
  };
  const invalid = (message: string): Answer => answered(autoScalingError(400, 'ValidationError', message));

  const described = ({ status, parameters, deployment }: Stack): Xml => ({
    StackName: name,
    StackId: id,
    CreationTime: '2026-01-01T00:00:00Z',
    StackStatus: status,
    Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
    Outputs:
      deployment === null
        ? []
        : Object.keys(template.Outputs ?? {}).map((OutputKey) => ({
            OutputKey,
            OutputValue: deployment.output(OutputKey),
          })),
  });
  const resources = ({ deployment }: Stack): Xml =>
    ['AWS::Logs::LogGroup', 'AWS::Lambda::Function', 'AWS::DynamoDB::GlobalTable'].flatMap((ResourceType) =>
      resourcesOf(template, ResourceType).map(([LogicalResourceId]) => ({
        LogicalResourceId,
        ResourceType,
        PhysicalResourceId: String(deployment?.resolve({ Ref: LogicalResourceId })),
        ResourceStatus: 'CREATE_COMPLETE',
        LastUpdatedTimestamp: '2026-01-01T00:00:00Z',
      })),
    );

  const answerFor = async ({ operation, input }: ReadCall, slow: boolean): Promise<Answer> => {
    const asked = input as Parameters;
    if (stack === null || ![name, id].includes(asked['StackName'] ?? ''))
      return invalid(`Stack with id ${asked['StackName']} does not exist`);
    const done = (result: Xml): Answer => answered(autoScalingResult(operation, result));
    switch (operation) {
      case 'DescribeStacks':
        return done({ Stacks: [described(stack)] });
      case 'ListStackResources':
        return done({ StackResourceSummaries: resources(stack) });
      case 'DescribeStackEvents':
        return done({ StackEvents: [] });
      case 'DeleteStack':
        await begin(remove(slow), slow);
        return done({});
      case 'UpdateStack': {
        if (!FINISHED.test(stack.status))
          return invalid(`Stack:${id} is in ${stack.status} state and can not be updated.`);
        const given = parametersOf(asked);
        if (differing(given).length === 0) return invalid('No updates are to be performed.');
        await begin(update(given, slow), slow);
        return done({ StackId: id });
      }
      default:
        throw new Error(`cloudformation:${operation} is not known here: add it to cloud-formation.ts`);
    }
  };
  return {
    async deploy(parameters) {
      await change;
      if (stack === null) await begin(create(parameters), false);
      else if (differing(parameters).length > 0) await begin(update(parameters, false), false);
    },
    answer: answerFor,
    deployment: () => stack?.deployment ?? null,
    status: () => stack?.status ?? null,
    parameters: () => stack?.parameters ?? {},
    changes,
    async remove() {
      await change;
      await remove(false);
    },
  };
}

const answered = (wire: ReturnType<typeof autoScalingResult>): Answer => {
  if (wire === 'hang') throw new Error('CloudFormation answers');
  return { status: wire.status, headers: { 'content-type': 'text/xml' }, body: Buffer.from(wire.body) };
};

/** Parameters that do not keep their values. */
function parametersOf(form: Parameters): Parameters {
  const given = Object.entries(form).flatMap(([field, key]) => {
    const index = /^Parameters\.member\.(\d+)\.ParameterKey$/.exec(field)?.[1];
    const value = form[`Parameters.member.${index}.ParameterValue`];
    return index === undefined || value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(given);
}
