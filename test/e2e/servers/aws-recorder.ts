import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of an API that takes its parameters as a form, as Auto Scaling and EC2 do. */
export interface AwsCall {
  /** Arrival, by `performance.now()`. */
  readonly at: number;
  readonly action: string;
  readonly parameters: URLSearchParams;
  /** HTTP status of the answer. */
  readonly status: number;
}

/** A size that a group was asked to take. */
export interface SizeChange {
  readonly at: number;
  readonly group: string;
  readonly size: number;
}

/** Stands in front of an AWS endpoint, passes everything on as it is, and remembers what was called. */
export interface AwsRecorder {
  readonly endpoint: string;
  /** All answered calls, in the order of their answers. */
  readonly calls: readonly AwsCall[];
  /** Those that set a group's desired capacity, and were granted. */
  sizeChanges(): readonly SizeChange[];
  /** Resolves as soon as the condition holds of what was called so far. */
  until(what: string, timeoutMs: number, holds: (recorder: AwsRecorder) => boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function startAwsRecorder(target: string): Promise<AwsRecorder> {
  const agent = new Agent({ keepAlive: true });
  const calls: AwsCall[] = [];
  const watchers = new Set<() => void>();

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(502).end(String(error));
    });
  });

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const at = performance.now();
    const sent = await read(incoming);
    const { method, url = '/', headers } = incoming;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      // The host header stays: it is signed.
      const onward = request(new URL(url, target), { agent, headers, ...(method === undefined ? {} : { method }) });
      onward.once('response', resolve);
      onward.once('error', reject);
      onward.end(sent);
    });
    const received = await read(answer);
    const status = answer.statusCode ?? 502;
    const parameters = new URLSearchParams(sent.toString('utf8'));
    const action = parameters.get('Action');
    if (action !== null) calls.push({ at, action, parameters, status });
    outgoing.writeHead(status, endToEnd(answer)).end(received);
    for (const look of watchers) look();
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  const recorder: AwsRecorder = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    sizeChanges: () =>
      calls
        .filter(({ action, status }) => action === 'SetDesiredCapacity' && status === 200)
        .map(({ at, parameters }) => ({
          at,
          group: parameters.get('AutoScalingGroupName') ?? '',
          size: Number(parameters.get('DesiredCapacity')),
        })),
    until: (what, timeoutMs, holds) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!holds(recorder)) return;
          clearTimeout(timer);
          watchers.delete(look);
          resolve();
        };
        const timer = setTimeout(() => {
          watchers.delete(look);
          const sizes = recorder.sizeChanges().map(({ group, size }) => `${group} ${size}`);
          reject(
            new Error(
              `After ${timeoutMs / 1000} s still waiting for ${what}; sizes set: ${sizes.join(', ') || 'none'}`,
            ),
          );
        }, timeoutMs);
        watchers.add(look);
        look();
      }),
    stop: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return recorder;
}

/** The answer's headers but for those that concern one connection alone; the body is sent whole. */
function endToEnd({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && name !== 'connection' && name !== 'transfer-encoding') kept[name] = value;
  return kept;
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
