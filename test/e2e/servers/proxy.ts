import {
  Agent,
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { listen } from '../../listening.ts';
import { buffer } from 'node:stream/consumers';

/** A call of an AWS API on its way. */
export interface ProxiedCall {
  /**
   * The called operation: a form's `Action`, as Auto Scaling and EC2 have it, or the last part of `X-Amz-Target`, as
   * DynamoDB has it; `null` where there is neither.
   */
  readonly action: string | null;
  /** Fields of a form; empty for others. */
  readonly parameters: URLSearchParams;
  /** Passes the call on as it is, and gives the answer. */
  readonly forward: () => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** The answer of Auto Scaling to a caller that asks too often. */
export const THROTTLED: Answer = {
  status: 400,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(
    '<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>',
  ),
};

export interface Proxy {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Stands in front of an AWS endpoint.
 *
 * @param handle gives the answer of each call, its own or the endpoint's; `null`: there is never an answer.
 */
export async function startProxy(
  target: string,
  handle: (call: ProxiedCall) => Promise<Answer | null>,
): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const sent = await buffer(incoming);
    const { method, url = '/', headers } = incoming;
    const parameters = isForm(headers) ? new URLSearchParams(sent.toString('utf8')) : new URLSearchParams();
    const forward = async (): Promise<Answer> => {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        // The host header stays: it is signed.
        const onward = request(new URL(url, target), { agent, headers, ...(method === undefined ? {} : { method }) });
        onward.once('response', resolve);
        onward.once('error', reject);
        onward.end(sent);
      });
      return { status: answer.statusCode ?? 502, headers: endToEnd(answer), body: await buffer(answer) };
    };
    const answer = await handle({ action: parameters.get('Action') ?? targetOf(headers), parameters, forward });
    if (answer !== null) outgoing.writeHead(answer.status, { ...answer.headers }).end(answer.body);
  };

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(502).end(String(error));
    });
  });
  const port = await listen(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const isForm = (headers: IncomingHttpHeaders): boolean =>
  headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;

const targetOf = (headers: IncomingHttpHeaders): string | null =>
  [headers['x-amz-target']].flat()[0]?.split('.').at(-1) ?? null;

/** The headers of the answer without the hop-by-hop headers; the body is sent whole. */
function endToEnd({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && name !== 'connection' && name !== 'transfer-encoding') kept[name] = value;
  return kept;
}
