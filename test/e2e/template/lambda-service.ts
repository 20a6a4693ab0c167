import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../servers/proxy.ts';
import { failure } from './denials.ts';
import type { Backend } from './gateway.ts';
import { type LambdaFunction, lambdaFunction } from './lambda-function.ts';
import type { Iam } from './iam.ts';
import { chainOf, LONGEST_CHAIN, traceHeader } from './lineage.ts';
import { propertiesOf } from './policies.ts';
import type { Records } from './records.ts';
import type { Resolve } from './resolve.ts';
import type { Outcome } from './runtime-api.ts';
import { resourcesOf, type Synthesized } from './synthesize.ts';

/** A function of the template, and what its role and its log are. */
export interface DeployedFunction {
  /** Logical id. */
  readonly id: string;
  readonly arn: string;
  /** Logical id of its role. */
  readonly role: string;
  /** Reserved concurrency: invocations at a time; with 0 it is never called. `null`: as many as there are. */
  readonly reserved: () => number | null;
  /** ARN of its log group, without the `:*`. */
  readonly logGroup: string;
  readonly lambda: LambdaFunction;
}

/** Lambda, as far as the template asks for it. */
export interface LambdaService {
  readonly functions: readonly DeployedFunction[];
  /** @param arn of a function */
  readonly find: (arn: string) => DeployedFunction | null;
  /**
   * Invokes a function and waits for the outcome; its log needs the rights of its role.
   *
   * @param chain number of the invocations that have led to this one, through SQS or by `Invoke`; absent: none
   */
  readonly invoke: (arn: string, event: unknown, chain?: number) => Promise<Outcome>;
  /** Invokes a function as `Event` has it, and again where it fails, as its `EventInvokeConfig` says; waits for the last outcome. */
  readonly invokeLater: (arn: string, event: unknown) => Promise<Outcome>;
  readonly backend: Backend;
  /** Length of the longest chain of invocations, by the logical id of the function at its end. */
  readonly chains: ReadonlyMap<string, number>;
  /** Events that each function was invoked with, by logical id. */
  readonly invocations: ReadonlyMap<string, readonly unknown[]>;
  /** Takes over what other values of the template's parameters, or another template, make of the environments of the functions. */
  readonly update: (now?: Pick<LambdaSettings, 'synthesized' | 'resolve'>) => Promise<void>;
  /** Waits for what was invoked without waiting. */
  readonly settled: () => Promise<void>;
  /** Logical ids of the functions with invocations that have not ended. */
  readonly underWay: () => readonly string[];
  /** Kills the functions in the middle of their work. Later invocations fail. */
  readonly stop: () => Promise<void>;
}

export interface LambdaSettings {
  readonly synthesized: Synthesized;
  /** Whether the function with this logical id is one of this service. */
  readonly isStarted: (id: string) => boolean;
  readonly resolve: Resolve;
  readonly iam: Iam;
  readonly records: Records;
  /** Variables that Lambda sets for a function with this role. */
  readonly credentials: (role: string) => Readonly<Record<string, string>>;
  readonly runtime: string;
  readonly logs: string;
}

interface FunctionProperties {
  readonly Role: string;
  readonly Handler: string;
  readonly Timeout: number;
  readonly MemorySize: number;
  readonly Runtime: string;
  readonly RecursiveLoop?: 'Allow' | 'Terminate';
  readonly ReservedConcurrentExecutions?: number;
  readonly VpcConfig?: object;
  readonly LoggingConfig: { readonly LogGroup: string };
  readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
  readonly Code: { readonly S3Key: string };
}

/** Lambda's answer beyond the concurrency of a function. */
export const TOO_MANY = 'TooManyRequestsException';

/** @throws Error for a function whose role Lambda may not take, or that needs another runtime. */
export async function startLambda(settings: LambdaSettings): Promise<LambdaService> {
  const { synthesized, records, iam } = settings;
  const functions: DeployedFunction[] = [];
  for (const [id] of resourcesOf(synthesized.template, 'AWS::Lambda::Function'))
    if (settings.isStarted(id)) functions.push(await deploy(id, functionProperties(id, settings), settings));
  const invocations = new Map<string, unknown[]>();
  const chains = new Map<string, number>();
  const underWay = new Map<string, number>();
  const running = new Set<Promise<unknown>>();
  let stopped = false;

  const find = (arn: string): DeployedFunction | null => functions.find((each) => each.arn === arn) ?? null;

  const invokeFunction = async (of: DeployedFunction, event: unknown, arn: string, chain: number): Promise<Outcome> => {
    if (stopped) return { kind: 'failed', type: 'ResourceNotFoundException', message: `${of.id} was deleted` };
    if (chain >= LONGEST_CHAIN && functionProperties(of.id, settings).RecursiveLoop !== 'Allow') {
      const message = `${of.id} would be invocation ${chain + 1} of a recursive loop`;
      records.problems.push(message);
      return { kind: 'failed', type: 'RecursiveInvocationException', message };
    }
    chains.set(of.id, Math.max(chain + 1, chains.get(of.id) ?? 0));
    const now = underWay.get(of.id) ?? 0;
    const reserved = of.reserved();
    if (reserved !== null && now >= reserved)
      return { kind: 'failed', type: TOO_MANY, message: `${of.id} is called ${reserved} times at once, at most` };
    underWay.set(of.id, now + 1);
    records.occasions.push({ kind: 'invocation', arn });
    invocations.set(of.id, [...(invocations.get(of.id) ?? []), event]);
    const outcome = await of.lambda.invoke(event, arn, traceHeader(chain + 1));
    underWay.set(of.id, underWay.get(of.id)! - 1);
    // Lambda writes the log with the rights of the function's role.
    const stream = `${of.logGroup}:log-stream:1`;
    for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents'])
      if (!(await iam.judge(of.role, { action, resource: stream, context: {} })))
        records.problems.push(`${of.id} may not write its log: ${action}`);
    if (outcome.kind === 'failed') records.problems.push(`${of.id}: ${outcome.type}: ${outcome.message}`);
    return outcome;
  };

  const repeatedly = async (of: DeployedFunction, event: unknown, arn: string, chain: number): Promise<Outcome> => {
    for (let left = retriesOf(of.id, settings); ; left -= 1) {
      const outcome = await invokeFunction(of, event, arn, chain);
      if (outcome.kind === 'returned' || left === 0 || stopped) return outcome;
      await delay(BEFORE_RETRIES_MS);
    }
  };

  const begin = (of: DeployedFunction, arn: string, event: unknown, chain: number): Answer => {
    const invocation = repeatedly(of, event, arn, chain);
    running.add(invocation);
    void invocation.finally(() => running.delete(invocation));
    return { status: 202, headers: {}, body: Buffer.alloc(0) };
  };

  return {
    functions,
    find,
    invocations,
    chains,
    async invoke(arn, event, chain = 0) {
      const of = find(arn);
      if (of === null) throw new Error(`There is no function ${arn}`);
      return invokeFunction(of, event, arn, chain);
    },
    invokeLater: async (arn, event) => repeatedly(find(arn)!, event, arn, 0),
    async backend(call, { headers, body }) {
      const arn = call.names[0]!;
      const of = find(arn);
      if (of === null) return failure(404, 'ResourceNotFoundException', `Function not found: ${arn}`);
      if (headers['x-amz-invocation-type'] !== 'Event')
        return failure(400, 'InvalidParameterValueException', 'Nothing here waits for a function');
      return begin(of, arn, JSON.parse(body), chainOf(headers['x-amzn-trace-id']));
    },
    async update(now: Pick<LambdaSettings, 'synthesized' | 'resolve'> = settings) {
      for (const { id, lambda } of functions) {
        const properties = functionProperties(id, now);
        const { Variables: environment } = properties.Environment;
        const code = codeOf(properties, now);
        const isSame = JSON.stringify(environment) === JSON.stringify(lambda.settings.environment);
        if (!isSame || code !== lambda.settings.code) await lambda.configure({ environment, code });
      }
    },
    async settled() {
      await Promise.all(running);
    },
    underWay: () => [...underWay].filter(([, count]) => count > 0).map(([id]) => id),
    async stop() {
      stopped = true;
      await Promise.all(functions.map(({ lambda }) => lambda.stop()));
    },
  };
}

/** Lambda waits for a minute or two before it repeats an invocation. */
const BEFORE_RETRIES_MS = 1_000;

/** How often an asynchronous invocation that failed is repeated: twice, unless the template says otherwise. */
const retriesOf = (id: string, { synthesized, resolve }: LambdaSettings): number =>
  resourcesOf(synthesized.template, 'AWS::Lambda::EventInvokeConfig')
    .map(([, resource]) => propertiesOf(resource, resolve))
    .filter(({ FunctionName }) => FunctionName === resolve({ Ref: id }))
    .map(({ MaximumRetryAttempts }) => Number(MaximumRetryAttempts))[0] ?? 2;

/** As the parameters are now. */
const functionProperties = (
  id: string,
  { synthesized, resolve }: Pick<LambdaSettings, 'synthesized' | 'resolve'>,
): FunctionProperties => propertiesOf(synthesized.template.Resources[id]!, resolve) as unknown as FunctionProperties;

/** The folder with the code of a function. */
const codeOf = ({ Code }: FunctionProperties, { synthesized }: Pick<LambdaSettings, 'synthesized'>): string =>
  synthesized.asset(Code.S3Key.replace(/\.zip$/, ''));

async function deploy(id: string, properties: FunctionProperties, settings: LambdaSettings): Promise<DeployedFunction> {
  const { resolve, iam, credentials, runtime, logs } = settings;
  const role = iam.roleByArn(properties.Role);
  if (!(await iam.mayAssume('lambda.amazonaws.com', role, {})))
    throw new Error(`Lambda may not take the role ${role.id} of ${id}`);
  if (properties.VpcConfig !== undefined) await makeInterfaces(id, role.id, settings);
  if (properties.Runtime !== 'nodejs24.x')
    throw new Error(`${id} needs ${properties.Runtime}, and functions run on Node 24 here`);
  const arn = String(resolve({ 'Fn::GetAtt': [id, 'Arn'] }));
  const group = String(resolve({ 'Fn::GetAtt': [properties.LoggingConfig.LogGroup, 'Arn'] }));
  return {
    id,
    arn,
    role: role.id,
    reserved: () => functionProperties(id, settings).ReservedConcurrentExecutions ?? null,
    logGroup: group.replace(/:\*$/, ''),
    lambda: lambdaFunction({
      name: id,
      arn,
      code: codeOf(properties, settings),
      handler: properties.Handler,
      timeoutMs: properties.Timeout * 1_000,
      memoryMib: properties.MemorySize,
      environment: properties.Environment.Variables,
      credentials: credentials(role.id),
      runtime,
      logs,
    }),
  };
}

/** Calls that Lambda makes by the role of a function in a VPC. */
const INTERFACES = [
  ['CreateNetworkInterface', true],
  ['DeleteNetworkInterface', true],
  ['AssignPrivateIpAddresses', true],
  ['UnassignPrivateIpAddresses', true],
  ['DescribeNetworkInterfaces', false],
  ['DescribeSubnets', false],
] as const;

/** @throws Error where the role does not let Lambda make the function's network interfaces */
async function makeInterfaces(id: string, role: string, { resolve, iam }: LambdaSettings): Promise<void> {
  const of = `arn:aws:ec2:${String(resolve({ Ref: 'AWS::Region' }))}:${String(resolve({ Ref: 'AWS::AccountId' }))}`;
  for (const [operation, ofOne] of INTERFACES) {
    const action = `ec2:${operation}`;
    const resource = ofOne ? `${of}:network-interface/eni-1` : '*';
    if (!(await iam.judge(role, { action, resource, context: {} })))
      throw new Error(`Lambda may not ${action} for ${id}`);
  }
}
