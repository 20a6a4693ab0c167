import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ServerCertificate } from '../../../cli/local/certificate.ts';
import type { Iam } from './iam.ts';
import type { Request } from './policies.ts';
import { type LambdaService, TOO_MANY } from './lambda-service.ts';
import { propertiesOf } from './policies.ts';
import { countUse, type Records } from './records.ts';
import type { Resolve } from './resolve.ts';
import { resourcesOf, type Template } from './synthesize.ts';
import { listen } from '../../listening.ts';

/** Servers on the Internet. */
export interface Endpoints {
  /** `https://127.0.0.1:PORT/`. */
  readonly address: string;
  readonly throttleTime: ThrottleTime;
  /** From now on requests are answered. */
  readonly serve: (endpoints: readonly Endpoint[], lambda: LambdaService, iam: Iam) => void;
  readonly stop: () => void;
}

/** The time that throttles go by. It may be stopped: then calls come at once, however long they take. */
export interface ThrottleTime {
  readonly now: () => number;
  readonly stop: () => void;
  /** Lets so many milliseconds pass while it is stopped. */
  readonly pass: (ms: number) => void;
}

export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

/** A function URL, or a route of an HTTP API. */
export interface Endpoint {
  /** The first part of its path here, where on AWS it is a host of its own; `null`: all other paths are its. */
  readonly host: string | null;
  /** Logical ids of what is used by a call. */
  readonly uses: readonly string[];
  /** ARN of the function. */
  readonly target: string;
  /** Calls that are let through: in a second, in the long run, and at once; `null`: all. */
  readonly throttle: Throttle | null;
  readonly takes: (method: string, path: string) => boolean;
  readonly mayCall: (iam: Iam, target: string) => Promise<boolean>;
  readonly event: (path: string, headers: Readonly<Record<string, string>>, body: string) => unknown;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Reply {
  readonly statusCode: number;
  readonly body?: string;
}

/** Serves by HTTPS what calls functions of the template. */
export async function startEndpoints(certificate: ServerCertificate, records: Records): Promise<Endpoints> {
  let answer: (call: Call) => Promise<Reply> = () => Promise.resolve({ statusCode: 503 });
  const server = createServer({ key: certificate.key, cert: certificate.certificate }, (incoming, outgoing) => {
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const respond = async (): Promise<void> => {
      const call = { method: incoming.method!, path: incoming.url!, headers, body: await text(incoming) };
      const { statusCode, body = '' } = await answer(call);
      outgoing.writeHead(statusCode, { 'content-type': 'application/json' }).end(body);
    };
    respond().catch((error: unknown) => {
      records.problems.push(String(error));
      outgoing.writeHead(502).end();
    });
  });
  const port = await listen(server);
  const throttleTime = createThrottleTime();
  return {
    throttleTime,
    address: `https://127.0.0.1:${port}/`,
    serve(endpoints, lambda, iam) {
      const buckets = new Map(endpoints.map(({ host, throttle }) => [host, bucketOf(throttle, throttleTime)]));
      answer = async ({ method, path, headers, body }) => {
        const [whole] = path.split('?', 1) as [string];
        const [, host, rest = '/'] = /^\/([^/]+)(.*)/.exec(whole) ?? [];
        const isHost = endpoints.some((each) => each.host !== null && each.host === host);
        const rawPath = isHost ? rest : whole;
        const endpoint = endpoints.find((each) => each.host === (isHost ? host : null) && each.takes(method, rawPath));
        records.occasions.push({ kind: 'call', host: isHost ? host! : null, method, path: rawPath });
        if (endpoint === undefined) return { statusCode: 404 };
        if (!buckets.get(endpoint.host)!()) return { statusCode: 429 };
        if (!(await endpoint.mayCall(iam, endpoint.target))) return { statusCode: 403 };
        for (const id of endpoint.uses) countUse(records, id);
        const outcome = await lambda.invoke(endpoint.target, endpoint.event(rawPath, headers, body));
        if (outcome.kind === 'failed') return { statusCode: outcome.type === TOO_MANY ? 503 : 502 };
        return outcome.value as Reply;
      };
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function createThrottleTime(): ThrottleTime {
  let stopped: number | null = null;
  const now = (): number => stopped ?? performance.now();
  return {
    now,
    stop: () => {
      stopped = now();
    },
    pass: (ms) => {
      stopped = now() + ms;
    },
  };
}

/** A token bucket, as API Gateway throttles: gives whether one more call is let through. */
function bucketOf(throttle: Throttle | null, time: ThrottleTime): () => boolean {
  if (throttle === null) return () => true;
  const { rate, burst } = throttle;
  let tokens = burst;
  let at = time.now();
  return () => {
    const now = time.now();
    tokens = Math.min(burst, tokens + ((now - at) / 1_000) * rate);
    at = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** Lambda function URLs, of which the stack has one: https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html. */
export const functionUrlsOf = (template: Template, resolve: Resolve): readonly Endpoint[] =>
  resourcesOf(template, 'AWS::Lambda::Url').map(([id, resource]) => {
    const { TargetFunctionArn, AuthType } = propertiesOf(resource, resolve);
    return {
      host: null,
      uses: [id],
      target: String(TargetFunctionArn),
      throttle: null,
      takes: () => true,
      mayCall: (iam, target) => mayCallUrl(iam, target, String(AuthType)),
      event: (rawPath, headers, body) => eventOf('$default', rawPath, headers, body),
    };
  });

/** A call needs both rights, since October 2025. */
async function mayCallUrl(iam: Iam, resource: string, authType: string): Promise<boolean> {
  const asked: readonly Pick<Request, 'action' | 'context'>[] = [
    { action: 'lambda:InvokeFunctionUrl', context: { 'lambda:FunctionUrlAuthType': authType } },
    { action: 'lambda:InvokeFunction', context: { 'lambda:InvokedViaFunctionUrl': 'true' } },
  ];
  for (const { action, context } of asked) if (!(await iam.judge(null, { action, resource, context }))) return false;
  return true;
}

/** Payload format 2.0. */
export const eventOf = (
  routeKey: string,
  rawPath: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => ({
  version: '2.0',
  routeKey,
  rawPath,
  rawQueryString: '',
  headers,
  requestContext: {
    http: {
      method: 'POST',
      path: rawPath,
      protocol: 'HTTP/1.1',
      sourceIp: '127.0.0.1',
      userAgent: headers['user-agent'],
    },
  },
  body,
  isBase64Encoded: false,
});
