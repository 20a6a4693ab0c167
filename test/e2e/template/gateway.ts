import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer } from '../servers/proxy.ts';
import { type AwsRequest, type GroupLookup, readCall, type ReadCall, requestsOf } from './aws-request.ts';
import { denial } from './denials.ts';
import type { Iam } from './iam.ts';
import type { Records } from './records.ts';
import { listen } from '../../listening.ts';

/** Answers the calls of one service. */
export type Backend = (call: ReadCall, request: AwsRequest) => Promise<Answer>;

export interface GatewaySettings {
  readonly account: string;
  readonly region: string;
  readonly records: Records;
  readonly groupOf: GroupLookup;
  /** By service; the others are answered by moto. */
  readonly backends: Readonly<Record<string, Backend>>;
  readonly moto: string;
}

/** AWS as the functions see it: each call is held against the policies of the role that makes it. */
export interface Gateway {
  readonly endpoint: string;
  /** From now on this is who may do what. Before, nothing is allowed. */
  readonly govern: (iam: Iam) => void;
  /** From now on this answers calls that are allowed, or has them answered. */
  readonly interfere: (interference: Interference) => void;
  /** A call that a service makes with a role, as Lambda does to receive messages. Throws when it is refused or fails. */
  readonly callAs: (role: string, call: ServiceCall) => Promise<unknown>;
  readonly stop: () => void;
}

/** Makes of a call what a test needs: `answer` gives the answer that it would have. */
export type Interference = (role: string, call: ReadCall, answer: () => Promise<Answer>) => Promise<Answer>;

/** With a `target` the body is JSON and the service's protocol JSON; else the path says what is called. */
export interface ServiceCall {
  readonly service: string;
  readonly target?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly input: unknown;
}

/** The access key of a role: what tells the roles apart. */
export const accessKeyOf = (role: string): string => `AKIA${role.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`;

export const signatureOf = (accessKey: string, region: string, service: string): string =>
  `AWS4-HMAC-SHA256 Credential=${accessKey}/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`;

export async function startGateway(settings: GatewaySettings): Promise<Gateway> {
  const { account, region, records, backends, moto } = settings;
  let iam: Iam | null = null;
  let interference: Interference = (_, __, answer) => answer();

  const handle = async (request: AwsRequest): Promise<Answer> => {
    const call = readCall(request);
    const role = iam?.roles.find(({ id }) => accessKeyOf(id) === call.accessKey);
    if (iam === null || role === undefined) throw new Error(`No role has the access key ${call.accessKey}`);
    // The ARN of a resource in another account contains the account; the emulators have one account.
    const other = role.arn.split(':')[4]!;
    for (const known of await requestsOf(call, settings)) {
      const text = JSON.stringify(known).replaceAll(`:${account}:`, `:${other}:`);
      const each = JSON.parse(text) as typeof known;
      if (await iam.judge(role.id, each)) continue;
      const message = `User: ${role.arn} is not authorized to perform: ${each.action} on resource: ${each.resource}`;
      records.problems.push(message);
      return denial(call.service, message);
    }
    const backend = backends[call.service] ?? ((_, as) => forward(moto, as));
    return interference(role.id, call, () =>
      backend(call, call.operation === 'SendMessage' ? traced(request) : request),
    );
  };

  const server = createServer((incoming, outgoing) => {
    const answer = async (): Promise<void> => {
      const { status, headers, body } = await handle(await readRequest(incoming));
      outgoing.writeHead(status, headers).end(body);
    };
    answer().catch((error: unknown) => {
      records.problems.push(String(error));
      outgoing.writeHead(501).end(String(error));
    });
  });
  const port = await listen(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    govern: (given) => {
      iam = given;
    },
    interfere: (given) => {
      interference = given;
    },
    async callAs(role, { service, target, path = '/', headers = {}, input }) {
      const { status, body } = await handle({
        method: 'POST',
        path,
        headers: {
          authorization: signatureOf(accessKeyOf(role), region, service),
          'content-type': 'application/x-amz-json-1.0',
          ...(target === undefined ? {} : { 'x-amz-target': target }),
          ...headers,
        },
        body: JSON.stringify(input),
      });
      const answer = body.toString('utf8');
      if (status > 299) throw new Error(`${account} ${service} ${target ?? path}: ${status} ${answer}`);
      return answer === '' ? null : (JSON.parse(answer) as unknown);
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** SQS keeps the trace header of the call in the message. */
function traced(request: AwsRequest): AwsRequest {
  const StringValue = request.headers['x-amzn-trace-id'];
  if (StringValue === undefined) return request;
  const MessageSystemAttributes = { AWSTraceHeader: { DataType: 'String', StringValue } };
  return { ...request, body: JSON.stringify({ ...(JSON.parse(request.body) as object), MessageSystemAttributes }) };
}

async function readRequest(incoming: IncomingMessage): Promise<AwsRequest> {
  const { method = 'GET', url: path = '/', headers } = incoming;
  return { method, path, headers, body: await text(incoming) };
}

/** Passes a call on to an emulator, which looks at the signature's region and service alone. */
export async function forward(endpoint: string, { method, path, headers, body }: AwsRequest): Promise<Answer> {
  const kept = new Set(['authorization', 'content-type', 'x-amz-target', 'x-amzn-query-mode', 'accept']);
  const sent = Object.entries(headers).filter(([name]) => kept.has(name)) as [string, string][];
  const response = await fetch(new URL(path, endpoint), { method, headers: sent, ...(body === '' ? {} : { body }) });
  const answered = new Set([
    'content-type',
    'x-amzn-errortype',
    'x-amz-crc32',
    'x-amzn-requestid',
    'x-amzn-query-error',
  ]);
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => answered.has(name))),
    body: Buffer.from(await response.arrayBuffer()),
  };
}
