import { createRequire } from 'node:module';
import { appendFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

// Records the requests of the SDK's clients and the answers of services, one a line, in the file that OUTRIGGER_REQUESTS names.
const file = process.env['OUTRIGGER_REQUESTS'];

/** The base class of all clients of the SDK. */
interface ClientClass {
  readonly prototype: { send: (command: object, ...rest: readonly unknown[]) => unknown };
}

/** A request or an answer, as `validate.py` reads it. */
interface RecordedCall {
  readonly client: string;
  readonly command: string;
  readonly side: 'input' | 'output';
  readonly content: unknown;
}

interface HttpRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface HandlerModule {
  readonly NodeHttpHandler: {
    readonly prototype: {
      handle: (
        request: HttpRequest,
        options: unknown,
      ) => Promise<{ readonly response: { readonly statusCode: number; body: Readable } }>;
    };
  };
}

/** Records calls of Savings Plans, which no client of the SDK makes: the operation is the path, and the content the body. */
function recordSignedCalls(
  { NodeHttpHandler: { prototype } }: HandlerModule,
  write: (call: RecordedCall) => void,
): void {
  const { handle } = prototype;
  prototype.handle = async function handleRecorded(this: object, request, options) {
    const result = await handle.call(this, request, options);
    if (request.headers['authorization']?.includes('/savingsplans/aws4_request') === true) {
      const call = { client: 'SavingsplansClient', command: request.path.slice(1) };
      write({ ...call, side: 'input', content: JSON.parse(String(request.body)) });
      const body = await text(result.response.body);
      result.response.body = Readable.from([body]);
      if (result.response.statusCode === 200) {
        write({ ...call, side: 'output', content: JSON.parse(body) });
      }
    }
    return result;
  };
}

/** A document client takes other values than its service: the client that it calls is recorded. */
const isOfService = (client: object): boolean => !client.constructor.name.startsWith('DynamoDBDocument');

/** A `Buffer` has become an object with its bytes before this is called. The stream of an object of S3 is left to its reader. */
function plain(_: string, value: unknown): unknown {
  if (value instanceof Readable) {
    return undefined;
  }
  return value instanceof Uint8Array ? { type: 'Buffer', data: [...value] } : value;
}

if (file !== undefined) {
  const sdk = createRequire(createRequire(import.meta.url).resolve('@aws-sdk/client-auto-scaling'));
  const write = (call: RecordedCall): void => appendFileSync(file, `${JSON.stringify(call, plain)}\n`);
  recordSignedCalls(sdk('@smithy/node-http-handler') as HandlerModule, write);
  const { prototype } = (sdk('@smithy/core/client') as { readonly Client: ClientClass }).Client;
  const { send } = prototype;
  prototype.send = function sendRecorded(this: object, command, ...rest) {
    const sent = send.call(this, command, ...rest);
    if (isOfService(this)) {
      const { input } = command as { readonly input: unknown };
      const call = { client: this.constructor.name, command: command.constructor.name };
      write({ ...call, side: 'input', content: input });
      if (sent instanceof Promise) {
        void sent.then(
          (answer: object) => write({ ...call, side: 'output', content: { ...answer, $metadata: undefined } }),
          () => {},
        );
      }
    }
    return sent;
  };
}
