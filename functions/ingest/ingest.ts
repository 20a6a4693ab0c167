import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { type ClusterName, clusterName } from '@outrigger/core/model/values/names.ts';
import { isRepetition, NO_CALLS, withCall } from '@outrigger/core/wakeups/recent-calls.ts';
import { NONE_REJECTED, type RejectionReport, withRejected } from '@outrigger/core/wakeups/rejected-calls.ts';
import { isAcceptedToken } from '@outrigger/providers/kubernetes/webhook-token.ts';
import type { Ingress, Work } from '../shared/services.ts';
import {
  isAboutNode,
  readReview,
  type Review,
  uidAtBeginning,
} from '@outrigger/providers/kubernetes/admission-review.ts';

/** The path that an API server's webhook calls: `/<token>/<cluster>`. */
const PATH = /^\/([^/]{1,256})\/([A-Za-z0-9][A-Za-z0-9_-]{0,99})\/?$/;

/**
 * The webhook. The API server calls it for each FailedScheduling event of a scheduler, and for each node that awaits its pods
 * and is ready for them; it wakes the cluster and always answers that the write is allowed, whatever is wrong with the call: Outrigger never blocks a write. All
 * that a call with a valid token does is to have the cluster evaluated, so one whose body cannot be read does it too. A
 * call that repeats one of the last minute does nothing.
 *
 * The token comes first: the body of a call without a valid one is not parsed. Such calls are reported once a minute, as anybody
 * may make them.
 */
export function createIngest(ingress: Ingress): Work<LambdaFunctionURLEvent, LambdaFunctionURLResult> {
  // Recent calls of this sandbox. Another sandbox does not know them: a repetition there is one wake-up more.
  let recent = NO_CALLS;
  let rejected = NONE_REJECTED;
  return async ({ rawPath, body, isBase64Encoded }) => {
    const { token, cluster } = partsOf(rawPath);
    if (!isAcceptedToken(token, ingress.tokenHashes)) {
      const counted = withRejected(rejected, ingress.now());
      rejected = counted.rejected;
      reportRejected(ingress, counted.report);
      return allowed(uidAtBeginning(body, isBase64Encoded));
    }
    if (!ingress.knows(cluster)) {
      ingress.log.warn('A call for a cluster that this deployment does not manage', { cluster });
      ingress.metrics.count('UnknownClusters', 1);
      return allowed(uidAtBeginning(body, isBase64Encoded));
    }
    const { uid, dryRun } = reviewOf(ingress, body, isBase64Encoded);
    const send = isAboutNode(body, isBase64Encoded) ? ingress.wakeForReadyNode : ingress.wake;
    if (!dryRun && isRepetition(recent, uid, ingress.now())) {
      ingress.metrics.count('RepeatedCalls', 1);
    } else if (!dryRun && (await wake(ingress, cluster, send))) {
      recent = withCall(recent, uid, ingress.now());
    }
    return allowed(uid);
  };
}

/** The review of a call; what can be known of one that cannot be read, with a line in the log. */
function reviewOf({ log, metrics }: Ingress, body: string | undefined, isBase64Encoded: boolean): Review {
  const review = readReview(body, isBase64Encoded);
  if (review.ok) {
    return review.value;
  }
  log.warn(`A call that is not a review: ${review.error}`);
  metrics.count('UnreadableReviews', 1);
  return { uid: uidAtBeginning(body, isBase64Encoded), dryRun: false };
}

/** @returns whether the wake-up is in the queue; if not, there is a line in the log. */
async function wake(
  { log, metrics }: Ingress,
  cluster: ClusterName,
  send: (cluster: ClusterName) => Promise<void>,
): Promise<boolean> {
  try {
    await send(cluster);
    metrics.count('WebhookNotifications', 1);
    return true;
  } catch (error) {
    log.error('The wake-up could not be sent; the schedule evaluates the cluster', { error });
    metrics.count('FailedWakeUps', 1);
    return false;
  }
}

/** May a call with this path wake a cluster? For servers that decide by it whether to read a body. */
export function isAdmitted({ tokenHashes, knows }: Pick<Ingress, 'tokenHashes' | 'knows'>, path: string): boolean {
  const { token, cluster } = partsOf(path);
  return isAcceptedToken(token, tokenHashes) && knows(cluster);
}

function reportRejected({ log, metrics, raiseAlarm }: Ingress, report: RejectionReport | null): void {
  if (report === null) {
    return;
  }
  const { calls, isFlood } = report;
  metrics.count('RejectedCalls', calls);
  if (isFlood) {
    log.error('The URL of the webhook is flooded with calls without a valid token', { calls });
    raiseAlarm();
  } else {
    log.warn('Calls without a valid token', { calls });
  }
}

function partsOf(path: string): { readonly token: string; readonly cluster: ClusterName } {
  const [, token = '', name = ''] = PATH.exec(path) ?? [];
  return { token, cluster: clusterName(name) };
}

const allowed = (uid: string): LambdaFunctionURLResult => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: true },
  }),
});
