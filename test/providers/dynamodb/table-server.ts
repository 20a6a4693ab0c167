import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { onTestFinished } from 'vitest';
import { createDynamoDbClient } from '../../../providers/dynamodb/client.ts';

/** A request as it goes over the wire: `PutItem` and its parameters, items in DynamoDB's own notation. */
export interface Command {
  readonly name: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- its shape is the command's
  readonly input: any;
  /** Size of the whole request, as DynamoDB counts it against its limits, or a little more. */
  readonly bytes: number;
}

/** An answer of the table; `error` is the name of one of DynamoDB's exceptions. */
export type Answer = Readonly<Record<string, unknown>>;

/**
 * A server that takes DynamoDB's commands and keeps nothing but a record of them, with the client that production uses.
 * Both end with the running test.
 *
 * @param answer by default every write succeeds, and nothing is found
 */
export async function tableServer(
  answer: (command: Command, number: number) => Answer = () => ({}),
): Promise<{ readonly client: DynamoDBClient; readonly commands: Command[] }> {
  const commands: Command[] = [];
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const body = await buffer(request);
      const name = String(request.headers['x-amz-target']).split('.')[1]!;
      const command = { name, input: JSON.parse(body.toString()) as unknown, bytes: body.length };
      commands.push(command);
      const { error, ...given } = answer(command, commands.length);
      const type = typeof error === 'string' ? { __type: `com.amazonaws.dynamodb.v20120810#${error}` } : {};
      response
        .writeHead(error === undefined ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' })
        .end(JSON.stringify({ ...given, ...type }));
    };
    void take();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const client = createDynamoDbClient({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  onTestFinished(async () => {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { client, commands };
}
