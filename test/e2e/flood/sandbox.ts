import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { text } from 'node:stream/consumers';

/**
 * A sandbox of the ingest function behind HTTP, in a process of its own: the bundle in the folder that is named, with
 * this environment. As on Lambda it has one invocation at a time, and the others wait.
 */

interface Answer {
  readonly statusCode: number;
  readonly body: string;
}
type Handler = (event: object, context: object) => Promise<Answer>;

const [code = ''] = process.argv.slice(2);
const { handler } = (await import(pathToFileURL(`${code}/index.mjs`).href)) as { readonly handler: Handler };
const context = { functionName: 'ingest', awsRequestId: '1', invokedFunctionArn: 'arn', memoryLimitInMB: '256' };
const took: number[] = [];
let turn: Promise<unknown> = Promise.resolve();

const invoke = async (rawPath: string, body: string): Promise<Answer> => {
  const begin = performance.now();
  const answer = await handler(
    { version: '2.0', rawPath, body, isBase64Encoded: false },
    { ...context, getRemainingTimeInMillis: () => 3_000 },
  );
  took.push(performance.now() - begin);
  return answer;
};

const server = createServer((request, response) => {
  const serve = async (): Promise<void> => {
    const body = await text(request);
    const invocation = turn.then(() => invoke(request.url ?? '/', body));
    turn = invocation.catch(() => {});
    const answer = await invocation;
    response.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(answer.body);
  };
  serve().catch((error: unknown) => response.writeHead(502).end(String(error)));
});
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send!({ took }));
process.on('disconnect', () => process.exit());
