import { createRequire } from 'node:module';
import { appendFileSync } from 'node:fs';
import { Readable } from 'node:stream';

// Records the requests of the SDK's clients and the answers of services, one a line, in the file that OUTRIGGER_REQUESTS names.
const file = process.env['OUTRIGGER_REQUESTS'];

/** The base class of all clients of the SDK. */
interface ClientClass {
  readonly prototype: { send: (command: object, ...rest: readonly unknown[]) => unknown };
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
  const { prototype } = (sdk('@smithy/core/client') as { readonly Client: ClientClass }).Client;
  const { send } = prototype;
  prototype.send = function sendRecorded(this: object, command, ...rest) {
    const sent = send.call(this, command, ...rest);
    if (isOfService(this)) {
      const { input } = command as { readonly input: unknown };
      const write = (what: object): void => {
        const call = { client: this.constructor.name, command: command.constructor.name, ...what };
        appendFileSync(file, `${JSON.stringify(call, plain)}\n`);
      };
      write({ side: 'input', content: input });
      if (sent instanceof Promise) {
        void sent.then(
          (answer: object) => write({ side: 'output', content: { ...answer, $metadata: undefined } }),
          () => {},
        );
      }
    }
    return sent;
  };
}
