import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import path from 'node:path';
import type { FunctionSettings } from '../template/lambda-function.ts';

/** A call of the webhook. */
export interface Call {
  readonly path: string;
  readonly body: string;
}

/** A sandbox of the ingest function, with an environment of its own. */
export interface IngestSandbox {
  /** @returns the status and the body of the answer */
  readonly call: (call: Call) => Promise<{ readonly status: number; readonly body: string }>;
  /** Milliseconds that each invocation has taken. */
  readonly took: () => Promise<readonly number[]>;
  readonly stop: () => void;
}

/** @param changed variables that are not as the template has them */
export async function startIngest(
  { code, environment, credentials }: Pick<FunctionSettings, 'code' | 'environment' | 'credentials'>,
  changed: Readonly<Record<string, string>> = {},
): Promise<IngestSandbox> {
  const env = { PATH: process.env['PATH'], ...credentials, ...environment, ...changed };
  const child = fork(path.join(import.meta.dirname, 'sandbox.ts'), [code], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const answered = async <Message>(): Promise<Message> => {
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        throw new Error('The sandbox has ended');
      }),
    ])) as [Message];
    return message;
  };
  const { port } = await answered<{ readonly port: number }>();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    call: ({ path: called, body }) =>
      new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, path: called, method: 'POST', agent }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() }));
          response.on('error', reject);
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    async took() {
      child.send('took');
      return (await answered<{ readonly took: readonly number[] }>()).took;
    },
    stop() {
      agent.destroy();
      child.disconnect();
    },
  };
}
