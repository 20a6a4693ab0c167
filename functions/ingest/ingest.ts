import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { clusterName } from '../../core/model/names.ts';
import type { Door, Work } from '../shared/world.ts';
import { readReview } from './admission-review.ts';
import { isValidToken } from './tokens.ts';

/** What an API server's webhook calls: `/<token>/<cluster>`. */
const PATH = /^\/([^/]{1,256})\/([A-Za-z0-9][A-Za-z0-9_-]{0,99})\/?$/;

/**
 * The doorbell. The API server calls it for each FailedScheduling event; it wakes the cluster and always answers that
 * the event is allowed, whatever is wrong with the call: Outrigger never stands in the way of a write. Whoever shows a
 * valid token may ring, and all that ringing does is to have the cluster looked at, so a body that cannot be read
 * still rings.
 */
export function createIngest(door: Door): Work<LambdaFunctionURLEvent, LambdaFunctionURLResult> {
  return async (event) => {
    const outcome = readReview(event.body, event.isBase64Encoded);
    try {
      if (outcome.kind === 'unreadable') {
        door.log.warn(`A call that is no review: ${outcome.reason}`);
        door.metrics.count('UnreadableReviews', 1);
      }
      if (outcome.kind !== 'review' || !outcome.review.dryRun) {
        await ring(door, event.rawPath);
      }
    } catch (error) {
      door.log.error('The wake-up could not be sent; the schedule will look', { error });
      door.metrics.count('FailedWakeUps', 1);
    }
    return allowed(outcome.kind === 'review' ? outcome.review.uid : '');
  };
}

async function ring(door: Door, path: string): Promise<void> {
  const [, token = '', name = ''] = PATH.exec(path) ?? [];
  if (!isValidToken(token, await door.tokens())) {
    door.log.warn('A call without a valid token');
    door.metrics.count('RejectedCalls', 1);
    return;
  }
  const cluster = clusterName(name);
  if (!door.knows(cluster)) {
    door.log.warn('A call for a cluster that is not looked after here', { cluster: name });
    door.metrics.count('UnknownClusters', 1);
    return;
  }
  await door.wake(cluster);
  door.metrics.count('Doorbells', 1);
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
