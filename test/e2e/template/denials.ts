import type { Answer } from '../servers/proxy.ts';

/** A refusal as each service words it: the SDK tells by it that retrying is of no use. */
export function denial(service: string, message: string): Answer {
  if (service === 'ec2')
    return xml(
      `<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>${message}</Message></Error></Errors></Response>`,
    );
  if (service === 'autoscaling')
    return xml(
      `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
    );
  const rest = service === 'eks' || service === 'lambda';
  return failure(rest ? 403 : 400, 'AccessDeniedException', message);
}

/** An error of a service that speaks JSON. */
export const failure = (status: number, type: string, message: string): Answer => ({
  ...json({ __type: type, message, Message: message }, status),
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': type },
});

export const json = (body: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

const xml = (body: string): Answer => ({
  status: 403,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(body),
});
