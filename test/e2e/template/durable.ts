import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { DurableLambdaHandler } from '@aws/durable-execution-sdk-js';
import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing';
import { failure, json } from './denials.ts';
import type { Answer } from '../servers/proxy.ts';
import { PATIENCE_MS } from '../servers/server-process.ts';
import type { ReadCall } from './aws-request.ts';
import type { Outcome } from './runtime-api.ts';

/** Store of executions' progress: AWS's own test server, which the functions reach by Lambda's API. */
export interface DurableExecutions {
  /** Starts an execution, or finds the one of this name; as `Invoke` with `DurableExecutionName` does. */
  readonly start: (call: StartCall) => Answer;
  /** Answers the calls of Lambda's API that are about executions. */
  readonly backend: (call: ReadCall) => Promise<Answer>;
  /** The executions that have ended, in that order. */
  readonly ended: readonly EndedExecution[];
  readonly stop: () => Promise<void>;
}

export interface StartCall {
  readonly name: string;
  /** ARN of the version. */
  readonly version: string;
  readonly payload: unknown;
  /** Invokes the function with the input of a durable execution. */
  readonly invoke: (event: unknown) => Promise<Outcome>;
}

export interface EndedExecution {
  readonly name: string;
  readonly status: string;
  /** Names of the steps and waits, in order. */
  readonly operations: readonly string[];
}

/** Operations that an invocation begins with; it asks for the others. */
const FIRST_PAGE = 3;

/** Input that the runner hands to a handler in its process; here the handler is in another one, reached by HTTP. */
interface Input {
  readonly DurableExecutionArn: string;
  readonly CheckpointToken: string;
  readonly InitialExecutionState: { readonly Operations: readonly unknown[]; readonly NextMarker: string };
  readonly durableExecutionClient: { readonly checkpoint: (input: unknown) => Promise<unknown> };
}

export async function startDurableExecutions(): Promise<DurableExecutions> {
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false });
  const started = new Map<string, { readonly arn: string; readonly payload: string }>();
  const inputs = new Map<string, Input>();
  const ended: EndedExecution[] = [];
  /** ARNs of executions in progress, and of stopped executions. */
  const open = new Set<string>();
  const stopped = new Set<string>();
  const running = new Set<Promise<void>>();

  const run = async ({ name, payload, invoke }: StartCall, arn: string): Promise<void> => {
    const handler = async (input: Input): Promise<unknown> => {
      if (stopped.has(arn)) throw new Error(`${name} was stopped`);
      inputs.set(arn, input);
      const { CheckpointToken, InitialExecutionState } = input;
      const page = { Operations: InitialExecutionState.Operations.slice(0, FIRST_PAGE), NextMarker: '' };
      if (InitialExecutionState.Operations.length > FIRST_PAGE) page.NextMarker = String(FIRST_PAGE);
      const outcome = await invoke({ DurableExecutionArn: arn, CheckpointToken, InitialExecutionState: page });
      if (outcome.kind === 'returned') return outcome.value;
      throw new Error(`${outcome.type}: ${outcome.message}`);
    };
    const runner = new LocalDurableTestRunner({ handlerFunction: handler as unknown as DurableLambdaHandler });
    const result = await runner.run({ payload });
    const operations = result.getOperations().map((operation) => operation.getName() ?? '');
    ended.push({ name, status: String(result.getStatus()), operations });
  };

  const ofFunction = (name: string) =>
    [...open]
      .filter((arn) => arn.includes(`:function:${name}:`))
      .map((DurableExecutionArn) => ({ DurableExecutionArn, Status: 'RUNNING' }));

  return {
    start(call) {
      const { name, version, payload } = call;
      const known = started.get(name);
      const text = JSON.stringify(payload);
      if (known !== undefined && known.payload !== text)
        return failure(409, 'DurableExecutionAlreadyStartedException', `${name} has been started with another payload`);
      const arn = known?.arn ?? `${version}/durable-execution/${name}/${hash('sha256', name).slice(0, 12)}`;
      if (known === undefined) {
        started.set(name, { arn, payload: text });
        open.add(arn);
        const running_ = run(call, arn).catch((error: unknown) => {
          ended.push({ name, status: `FAILED ${String(error)}`, operations: [] });
        });
        running.add(running_);
        void running_.finally(() => {
          running.delete(running_);
          open.delete(arn);
        });
      }
      return { status: 202, headers: { 'x-amz-durable-execution-arn': arn }, body: Buffer.alloc(0) };
    },
    async backend({ operation, names: [arn = ''], input }) {
      if (operation === 'ListDurableExecutionsByFunction') return json({ DurableExecutions: ofFunction(arn) });
      if (operation === 'StopDurableExecution') {
        open.delete(arn);
        stopped.add(arn);
        return json({ StopTimestamp: Date.now() / 1_000 });
      }
      const execution = inputs.get(arn);
      if (stopped.has(arn)) return failure(400, 'InvalidParameterValueException', `${arn} was stopped`);
      if (execution === undefined) return failure(404, 'ResourceNotFoundException', `No execution ${arn}`);
      const { durableExecutionClient: client, DurableExecutionArn } = execution;
      const sent = { ...input, DurableExecutionArn };
      if (operation === 'CheckpointDurableExecution') return json(inSeconds(await client.checkpoint(sent)));
      return json(inSeconds({ Operations: execution.InitialExecutionState.Operations.slice(FIRST_PAGE) }));
    },
    ended,
    async stop() {
      // A drain may wait for minutes: with its function it ends before its next invocation.
      for (const arn of open) stopped.add(arn);
      const late = setTimeout(PATIENCE_MS, 'late', { ref: false });
      if ((await Promise.race([Promise.all(running), late])) === 'late')
        throw new Error(
          `executions that do not end: ${[...started.keys()].filter((name) => !ended.some((one) => one.name === name)).join(', ')}`,
        );
      await LocalDurableTestRunner.teardownTestEnvironment();
    },
  };
}

/** Lambda's API has times in seconds, where the runner has dates. */
function inSeconds(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1_000;
  if (Array.isArray(value)) return value.map(inSeconds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inSeconds(each)]));
}
