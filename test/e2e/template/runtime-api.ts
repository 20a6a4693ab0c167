import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../listening.ts';

/** How an invocation ended. */
export type Outcome =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly type: string; readonly message: string };

/** An invocation that waits for a runtime, or is with one. */
export interface Invocation {
  readonly event: unknown;
  readonly functionArn: string;
  readonly timeoutMs: number;
  readonly trace: string;
  /** The runtime has it, and the time begins to run. */
  readonly taken: () => void;
  readonly done: (outcome: Outcome) => void;
}

/** Lambda's Runtime API for one sandbox: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html. */
export interface RuntimeApi {
  /** `HOST:PORT`, as AWS_LAMBDA_RUNTIME_API has it. */
  readonly address: string;
  /** Hands an event to the runtime once it asks for one. One at a time. */
  readonly invoke: (invocation: Invocation) => void;
  /** Resolves with what the runtime said when it could not start. */
  readonly initError: Promise<string>;
  readonly stop: () => void;
}

interface ErrorReport {
  readonly errorType?: string;
  readonly errorMessage?: string;
}

export async function startRuntimeApi(): Promise<RuntimeApi> {
  let asking: ServerResponse | null = null;
  let waiting: Invocation | null = null;
  let current: { readonly id: string; readonly invocation: Invocation } | null = null;
  const initialization = Promise.withResolvers<string>();

  const hand = (): void => {
    if (asking === null || waiting === null) return;
    const id = randomUUID();
    const { event, functionArn, timeoutMs, trace, taken } = waiting;
    taken();
    current = { id, invocation: waiting };
    asking.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': id,
      'lambda-runtime-deadline-ms': String(Date.now() + timeoutMs),
      'lambda-runtime-invoked-function-arn': functionArn,
      'lambda-runtime-trace-id': trace,
    });
    asking.end(JSON.stringify(event));
    asking = null;
    waiting = null;
  };
  const end = (id: string | undefined, outcome: Outcome): void => {
    if (current?.id !== id) return;
    const { invocation } = current!;
    current = null;
    invocation.done(outcome);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.replace('/2018-06-01/runtime/', '');
    if (path === 'invocation/next') {
      // The response to the invocation before was lost.
      if (current !== null) end(current.id, { kind: 'failed', type: 'Runtime.NoResponse', message: 'no response' });
      asking = response;
      hand();
      return;
    }
    const body = await text(request);
    response.writeHead(202).end('{}');
    const { errorType = '', errorMessage = '' } = path.endsWith('error') ? (JSON.parse(body) as ErrorReport) : {};
    const [, id, kind] = /^invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (path === 'init/error') initialization.resolve(`${errorType}: ${errorMessage}`);
    else if (kind === 'response') end(id, { kind: 'returned', value: body === '' ? null : JSON.parse(body) });
    else end(id, { kind: 'failed', type: errorType, message: errorMessage });
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  // The runtime sends its response on the connection that it asked on: a connection that is closed at that moment, after five idle
  // seconds by default, loses the response.
  server.keepAliveTimeout = 0;
  const port = await listen(server);
  return {
    address: `127.0.0.1:${port}`,
    invoke(invocation) {
      waiting = invocation;
      hand();
    },
    initError: initialization.promise,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
