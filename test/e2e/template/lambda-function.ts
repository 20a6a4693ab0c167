import path from 'node:path';
import { PATIENCE_MS, startProcess, type ServerProcess } from '../servers/server-process.ts';
import { type Invocation, startRuntimeApi, type Outcome, type RuntimeApi } from './runtime-api.ts';

/** A function as the template has it, with everything resolved. */
export interface FunctionSettings {
  readonly name: string;
  readonly arn: string;
  /** The folder with its code. */
  readonly code: string;
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMib: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Variables that Lambda itself sets: region, credentials, AWS' address. */
  readonly credentials: Readonly<Record<string, string>>;
  /** `node_modules` with the runtime interface client. */
  readonly runtime: string;
  readonly logs: string;
}

/** A function in sandboxes of its own: as many as there are invocations at a time. */
export interface LambdaFunction {
  readonly settings: FunctionSettings;
  /** Gives it another environment or other code: sandboxes that have the old ones take no more invocations. */
  readonly configure: (changed: Pick<FunctionSettings, 'environment' | 'code'>) => Promise<void>;
  /**
   * @param qualified the ARN that it is called by, of a version or an alias
   * @param trace the trace header
   */
  readonly invoke: (event: unknown, qualified: string, trace: string) => Promise<Outcome>;
  /** Kills the sandboxes of the function in the middle of their work. Later invocations get new sandboxes. */
  readonly stop: () => Promise<void>;
}

interface Sandbox {
  readonly api: RuntimeApi;
  readonly process: ServerProcess;
  /** Resolves when it can take no invocations any more, with the reason. */
  readonly broken: Promise<string>;
}

export function lambdaFunction(given: FunctionSettings): LambdaFunction {
  let settings = given;
  const idle: Sandbox[] = [];
  const all = new Set<Sandbox>();
  let count = 0;
  let stops = 0;
  const close = async (sandbox: Sandbox): Promise<void> => {
    if (!all.delete(sandbox)) return;
    await sandbox.process.stop('SIGKILL');
    sandbox.api.stop();
  };
  return {
    get settings() {
      return settings;
    },
    async configure(changed) {
      settings = { ...settings, ...changed };
      await Promise.all(idle.splice(0).map(close));
    },
    async invoke(event, functionArn, trace) {
      const current = settings;
      let sandbox = idle.pop();
      if (sandbox === undefined) {
        count += 1;
        const before = stops;
        sandbox = await startSandbox(current, count);
        all.add(sandbox);
        if (stops !== before) await close(sandbox);
      }
      const outcome = await within(current, sandbox, { event, functionArn, trace });
      const isBroken = outcome.kind === 'failed' && outcome.type.startsWith('Sandbox.');
      if (isBroken || current !== settings) await close(sandbox);
      else idle.push(sandbox);
      return outcome;
    },
    async stop() {
      stops += 1;
      idle.length = 0;
      await Promise.all([...all].map(close));
    },
  };
}

/** The host may be this many times slower than Lambda, and busy with other things. */
const SLOWNESS = 20;

/** A sandbox that does not start, ends, or takes longer than the function may, fails the invocation. */
async function within(
  { timeoutMs, name }: FunctionSettings,
  { api, broken }: Sandbox,
  invocation: Pick<Invocation, 'event' | 'functionArn' | 'trace'>,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const end = (): void =>
    resolve({ kind: 'failed', type: 'Sandbox.Timedout', message: `${name} timed out after ${timeoutMs / 1000} s` });
  let timer = setTimeout(end, PATIENCE_MS);
  const taken = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, timeoutMs * SLOWNESS);
  };
  void broken.then((message) => resolve({ kind: 'failed', type: 'Sandbox.Broken', message }));
  api.invoke({ ...invocation, timeoutMs: timeoutMs * SLOWNESS, taken, done: resolve });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Starts AWS's own runtime interface client on the bundle, with Lambda's environment and nothing of this process's. */
async function startSandbox(settings: FunctionSettings, number: number): Promise<Sandbox> {
  const { name, code, handler, memoryMib, environment, credentials, runtime, logs } = settings;
  const api = await startRuntimeApi();
  const process = startProcess({
    name: `${name}-${number}`,
    command: globalThis.process.execPath,
    args: [path.join(runtime, 'node_modules/aws-lambda-ric/index.mjs'), handler],
    cwd: code,
    logs,
    inherit: false,
    environment: {
      PATH: globalThis.process.env['PATH'] ?? '',
      TZ: ':UTC',
      LANG: 'en_US.UTF-8',
      LAMBDA_TASK_ROOT: code,
      LAMBDA_RUNTIME_DIR: runtime,
      _HANDLER: handler,
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMib),
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_LAMBDA_LOG_GROUP_NAME: name,
      AWS_LAMBDA_LOG_STREAM_NAME: String(number),
      ...credentials,
      ...environment,
    },
  });
  const broken = Promise.race([api.initError, process.ended.then((end) => `the sandbox ended with ${end}`)]);
  return { api, process, broken };
}
