import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';

/** Middleware that traces each invocation by AWS X-Ray. */
export const traceInvocations = (service: string) =>
  captureLambdaHandler(new Tracer({ serviceName: service }), { captureResponse: false });
