import type { EventBridgeEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { FailedScheduling } from '../world.ts';

/** The API server's call of the webhook, as a Lambda function URL delivers it. */
export const webhookCall = (path: string, failed: FailedScheduling, now: EpochMs): LambdaFunctionURLEvent =>
  functionUrlEvent(path, admissionReview(failed, now));

/** The AdmissionReview that the API server sends when the scheduler records a FailedScheduling event. */
const admissionReview = ({ pod, message }: FailedScheduling, now: EpochMs): unknown => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    // Each call has its own.
    uid: `${pod.uid}-${now}`,
    operation: 'CREATE',
    namespace: pod.namespace,
    resource: { group: 'events.k8s.io', version: 'v1', resource: 'events' },
    object: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: pod.namespace, name: `${pod.name}.${now.toString(16)}` },
      regarding: { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid },
      reason: 'FailedScheduling',
      type: 'Warning',
      note: message,
    },
  },
});

/** The call for a node that awaits its pods and has become ready for them. */
export const readyNodeCall = (path: string, { name, uid }: Node, now: EpochMs): LambdaFunctionURLEvent =>
  functionUrlEvent(path, {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `${uid}-${now}`,
      kind: { group: '', version: 'v1', kind: 'Node' },
      resource: { group: '', version: 'v1', resource: 'nodes' },
      subResource: 'status',
      name,
      operation: 'UPDATE',
    },
  });

const functionUrlEvent = (rawPath: string, body: unknown): LambdaFunctionURLEvent => ({
  version: '2.0',
  routeKey: '$default',
  rawPath,
  rawQueryString: '',
  headers: { 'content-type': 'application/json' },
  requestContext: {
    accountId: 'anonymous',
    apiId: 'simulated',
    domainName: 'simulated',
    domainPrefix: 'simulated',
    http: { method: 'POST', path: rawPath, protocol: 'HTTP/1.1', sourceIp: '', userAgent: 'kube-apiserver-admission' },
    requestId: '',
    routeKey: '$default',
    stage: '$default',
    time: '',
    timeEpoch: 0,
  },
  body: JSON.stringify(body),
  isBase64Encoded: false,
});

interface AwsEventHead {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly at: EpochMs;
}

/** An event as EventBridge delivers it. */
export const awsEvent = (
  { id, source, type, at }: AwsEventHead,
  detail: unknown,
): EventBridgeEvent<string, unknown> => ({
  id,
  version: '0',
  account: '123456789012',
  region: 'us-east-1',
  time: new Date(at).toISOString(),
  source,
  'detail-type': type,
  resources: [],
  detail,
});

/** The event's detail is not read. */
export const launchUnsuccessful = (at: EpochMs): EventBridgeEvent<string, unknown> =>
  awsEvent({ id: `launch-${at}`, source: 'aws.autoscaling', type: 'EC2 Instance Launch Unsuccessful', at }, {});
