import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Call {
  /** As `AmazonSQS.SendMessage`. */
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status?: number;
  readonly body: object;
}

/** A server that answers AWS' JSON protocol as it is told; gone when the test is over. */
export async function awsStandIn(answer: (call: Call) => Answer) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const call = {
        action: String(request.headers['x-amz-target']),
        input: JSON.parse(text) as Record<string, unknown>,
      };
      calls.push(call);
      const { status = 200, body } = answer(call);
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    calls,
    settings: {
      region: 'eu-central-1',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
  };
}
