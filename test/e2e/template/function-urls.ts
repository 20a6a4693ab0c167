import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ServerCertificate } from '../../../cli/local/certificate.ts';
import type { Iam } from './iam.ts';
import type { Request } from './policies.ts';
import type { LambdaService } from './lambda-service.ts';
import { countUse, type Records } from './records.ts';

export interface FunctionUrls {
  /** `https://127.0.0.1:PORT/`. */
  readonly address: string;
  /** From now on requests are answered. */
  readonly serve: (urls: readonly FunctionUrl[], lambda: LambdaService, iam: Iam) => void;
  readonly stop: () => void;
}

export interface FunctionUrl {
  /** Logical id, and the first part of its path here: on AWS it is a host of its own. */
  readonly id: string;
  /** ARN of the function. */
  readonly target: string;
  readonly authType: string;
}

/** Lambda function URLs: https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html. */
export async function startFunctionUrls(certificate: ServerCertificate, records: Records): Promise<FunctionUrls> {
  type Serve = (
    path: string,
    headers: Record<string, string>,
    body: string,
  ) => Promise<{ statusCode: number; body?: string }>;
  let answer: Serve = () => Promise.resolve({ statusCode: 503 });
  const server = createServer({ key: certificate.key, cert: certificate.certificate }, (incoming, outgoing) => {
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const respond = async (): Promise<void> => {
      const { statusCode, body = '' } = await answer(incoming.url!, headers, await text(incoming));
      outgoing.writeHead(statusCode, { 'content-type': 'application/json' }).end(body);
    };
    respond().catch((error: unknown) => {
      records.problems.push(String(error));
      outgoing.writeHead(502).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    serve(urls, lambda, iam) {
      answer = async (path, headers, body) => {
        const [, id, rawPath = '/'] = /^\/([^/?]+)([^?]*)/.exec(path) ?? [];
        const url = urls.find((each) => each.id === id);
        if (url === undefined || !(await mayCall(url, iam))) return { statusCode: 403 };
        countUse(records, url.id);
        const outcome = await lambda.invoke(url.target, eventOf(rawPath, headers, body));
        if (outcome.kind === 'failed') return { statusCode: 502 };
        return outcome.value as { statusCode: number; body?: string };
      };
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A call needs both rights, since October 2025. */
async function mayCall({ target, authType }: FunctionUrl, iam: Iam): Promise<boolean> {
  const asked: readonly Pick<Request, 'action' | 'context'>[] = [
    { action: 'lambda:InvokeFunctionUrl', context: { 'lambda:FunctionUrlAuthType': authType } },
    { action: 'lambda:InvokeFunction', context: { 'lambda:InvokedViaFunctionUrl': 'true' } },
  ];
  for (const { action, context } of asked)
    if (!(await iam.judge(null, { action, resource: target, context }))) return false;
  return true;
}

const eventOf = (rawPath: string, headers: Readonly<Record<string, string>>, body: string) => ({
  version: '2.0',
  routeKey: '$default',
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
