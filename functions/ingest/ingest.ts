import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { type ClusterName, clusterName } from '../../core/model/values/names.ts';
import type { Door, Work } from '../shared/world.ts';
import { readReview, uidAtBeginning } from './admission-review.ts';
import { isValidToken } from './tokens.ts';

/** What an API server's webhook calls: `/<token>/<cluster>`. */
const PATH = /^\/([^/]{1,256})\/([A-Za-z0-9][A-Za-z0-9_-]{0,99})\/?$/;

/**
 * The webhook. The API server calls it for each FailedScheduling event of a scheduler; it wakes the cluster and always
 * answers that the event is allowed, whatever is wrong with the call: Outrigger never stands in the way of a write. All
 * that a call with a valid token does is to have the cluster evaluated, so one whose body cannot be read does it too.
 *
 * The token comes first: the body of a call without a valid one is not parsed.
 */
export function createIngest(door: Door): Work<LambdaFunctionURLEvent, LambdaFunctionURLResult> {
  return async ({ rawPath, body, isBase64Encoded }) => {
    let uid: string | null = null;
    try {
      const cluster = await admit(door, rawPath);
      if (cluster !== null) {
        const outcome = readReview(body, isBase64Encoded);
        if (outcome.kind === 'unreadable') {
          door.log.warn(`A call that is no review: ${outcome.reason}`);
          door.metrics.count('UnreadableReviews', 1);
        } else {
          ({ uid } = outcome.review);
        }
        if (outcome.kind === 'unreadable' || !outcome.review.dryRun) {
          await door.wake(cluster);
          door.metrics.count('Doorbells', 1);
        }
      }
    } catch (error) {
      door.log.error('The wake-up could not be sent; the schedule will look', { error });
      door.metrics.count('FailedWakeUps', 1);
    }
    return allowed(uid ?? uidAtBeginning(body, isBase64Encoded));
  };
}

/** May a call with this path wake a cluster? For servers that decide by it whether to read a body. Rejects as `tokens` does. */
export const isAdmitted = async ({ tokens, knows }: Pick<Door, 'tokens' | 'knows'>, path: string): Promise<boolean> => {
  const { token, cluster } = partsOf(path);
  return isValidToken(token, await tokens()) && knows(cluster);
};

/** The cluster that a call may wake; `null`, with a line in the log, when it may not. */
async function admit(door: Door, path: string): Promise<ClusterName | null> {
  const { token, cluster } = partsOf(path);
  if (!isValidToken(token, await door.tokens())) {
    door.log.warn('A call without a valid token');
    door.metrics.count('RejectedCalls', 1);
    return null;
  }
  if (!door.knows(cluster)) {
    door.log.warn('A call for a cluster that is not looked after here', { cluster });
    door.metrics.count('UnknownClusters', 1);
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
