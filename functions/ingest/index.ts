import * as z from 'zod';
import { A_TOKEN_HASH, TOKEN_HASH } from '@outrigger/core/model/values/token-hash.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '@outrigger/providers/aws/lambda/environment.ts';
import { observe } from '@outrigger/providers/aws/lambda/handler.ts';
import { createSqsQueue } from '@outrigger/providers/aws/wake-ups/queue.ts';
import { createIngest } from './ingest.ts';

const environment = readEnvironment({
  OUTRIGGER_CLUSTER: z.string().min(1),
  OUTRIGGER_QUEUE_URL: z.url(),
  // Empty: no call is accepted, and the cluster is evaluated by the schedule alone.
  OUTRIGGER_TOKEN_HASHES: z
    .string()
    .transform((text) => (text === '' ? [] : text.split(',')))
    .pipe(z.array(z.string().regex(TOKEN_HASH, `expected ${A_TOKEN_HASH}`))),
});
const { log, metrics, handler: lambda } = observe('ingest', environment.OUTRIGGER_CLUSTER);

/** The alarm goes by a metric of scale-up: by one of each function, it would be charged for each (docs/cost.md). */
const alarmed = observe('scale-up', environment.OUTRIGGER_CLUSTER);

export const handler = lambda(
  createIngest({
    ...systemClock,
    log,
    metrics,
    ...createSqsQueue(environment.OUTRIGGER_QUEUE_URL, systemClock.now),
    knows: (name) => name === environment.OUTRIGGER_CLUSTER,
    tokenHashes: environment.OUTRIGGER_TOKEN_HASHES,
    raiseAlarm() {
      alarmed.metrics.count('NeedsCorrection', 1);
      alarmed.publish();
    },
  }),
);
