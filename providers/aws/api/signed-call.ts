import { textBefore } from '@outrigger/core/model/values/existing.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { json } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { capabilitiesOf } from '../../schema/regions.ts';

/** A service that few calls are made of: a client of its own would make each function larger. */
interface SignedService {
  /** The name in signatures, and in the host name. */
  readonly service: string;
  readonly region: string;
  /** In place of that of AWS. */
  readonly endpoint?: string | undefined;
  /** A limit on the time of a call, in milliseconds. */
  readonly timeoutMs: number;
}

interface SignedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A client of the SDK, as far as its connections, credentials and hashes are used. */
export type ConnectionSource = {
  readonly config: Pick<SQSClient['config'], 'credentials' | 'requestHandler' | 'sha256'>;
};

/** Makes a call once; gives the body of the answer. Rejects with an error that `failureOf` knows. */
type SignedCall = (request: SignedRequest, signal?: AbortSignal) => Promise<unknown>;

/** Calls of a service with the connections and the credentials of the client of another service. */
export function createSignedCall(
  { config }: ConnectionSource,
  { service, region, endpoint, timeoutMs }: SignedService,
): SignedCall {
  const url = new URL(endpoint ?? `https://${service}.${region}.${capabilitiesOf(region).domain}`);
  const signer = new SignatureV4({
    service,
    region,
    credentials: () => config.credentials(),
    sha256: config.sha256,
  });
  return async ({ headers = {}, ...request }, signal) => {
    const signed = await signer.sign({
      ...request,
      protocol: url.protocol,
      hostname: url.hostname,
      ...present({ port: url.port === '' ? null : Number(url.port) }),
      query: {},
      headers: { ...headers, host: url.host },
    });
    const { response } = (await config.requestHandler.handle(signed as never, {
      requestTimeout: timeoutMs,
      ...present({ abortSignal: signal }),
    })) as { readonly response: Answer };
    const body: unknown = await json(response.body).catch(() => null);
    if (response.statusCode !== 200) {
      throw serviceError(response, body);
    }
    return body;
  };
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** The code is in a header, or in the body, where a name space may precede it. */
const errorBody = z.object({ message: z.string().default(''), __type: z.string().optional() }).catch({ message: '' });

/** An error as the SDK's clients throw it. */
function serviceError({ statusCode, headers }: Answer, body: unknown): Error {
  const { message, __type: type } = errorBody.parse(body);
  const code =
    headers['x-amzn-errortype'] ??
    type?.split('#').at(-1) ??
    (statusCode === 404 ? 'ResourceNotFoundException' : 'Error');
  return Object.assign(new Error(message), { name: textBefore(code, ':'), $metadata: { httpStatusCode: statusCode } });
}

/** The used fields of an answer. @throws an error that `failureOf` knows, by `$metadata`, for an answer without them */
export function readAnswer<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body);
  if (error !== undefined) {
    throw Object.assign(new Error(`the answer cannot be read: ${z.prettifyError(error)}`), { $metadata: {} });
  }
  return data;
}
