import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { type ClusterName, clusterName } from '../../core/model/values/names.ts';
import { isAcceptedToken } from '../../providers/kubernetes/webhook-token.ts';
import type { Ingress, Work } from '../shared/world.ts';
import { readReview, uidAtBeginning } from '../../providers/kubernetes/admission-review.ts';

/** What an API server's webhook calls: `/<token>/<cluster>`. */
const PATH = /^\/([^/]{1,256})\/([A-Za-z0-9][A-Za-z0-9_-]{0,99})\/?$/;

/**
 * The webhook. The API server calls it for each FailedScheduling event of a scheduler; it wakes the cluster and always
 * answers that the event is allowed, whatever is wrong with the call: Outrigger never blocks a write. All
 * that a call with a valid token does is to have the cluster evaluated, so one whose body cannot be read does it too.
 *
 * The token comes first: the body of a call without a valid one is not parsed.
 */
export function createIngest(ingress: Ingress): Work<LambdaFunctionURLEvent, LambdaFunctionURLResult> {
  return async ({ rawPath, body, isBase64Encoded }) => {
    let uid: string | null = null;
    try {
      const cluster = admit(ingress, rawPath);
      if (cluster !== null) {
        const outcome = readReview(body, isBase64Encoded);
        if (outcome.kind === 'unreadable') {
          ingress.log.warn(`A call that is not a review: ${outcome.reason}`);
          ingress.metrics.count('UnreadableReviews', 1);
        } else {
          ({ uid } = outcome.review);
        }
        if (outcome.kind === 'unreadable' || !outcome.review.dryRun) {
          await ingress.wake(cluster);
          ingress.metrics.count('WebhookNotifications', 1);
        }
      }
    } catch (error) {
      ingress.log.error('The wake-up could not be sent; the schedule evaluates the cluster', { error });
      ingress.metrics.count('FailedWakeUps', 1);
    }
    return allowed(uid ?? uidAtBeginning(body, isBase64Encoded));
  };
}

/** May a call with this path wake a cluster? For servers that decide by it whether to read a body. */
export function isAdmitted({ tokenHashes, knows }: Pick<Ingress, 'tokenHashes' | 'knows'>, path: string): boolean {
  const { token, cluster } = partsOf(path);
  return isAcceptedToken(token, tokenHashes) && knows(cluster);
}

/** The cluster that a call may wake; `null`, with a line in the log, when it may not. */
function admit(ingress: Ingress, path: string): ClusterName | null {
  const { token, cluster } = partsOf(path);
  if (!isAcceptedToken(token, ingress.tokenHashes)) {
    ingress.log.warn('A call without a valid token');
    ingress.metrics.count('RejectedCalls', 1);
    return null;
  }
  if (!ingress.knows(cluster)) {
    ingress.log.warn('A call for a cluster that this deployment does not manage', { cluster });
    ingress.metrics.count('UnknownClusters', 1);
    return null;
  }
  return cluster;
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
