import * as z from 'zod';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../../providers/aws/lambda/environment.ts';
import { observe } from '../../providers/aws/lambda/handler.ts';
import { createSqsQueue } from '../../providers/aws/wake-ups/queue.ts';
import { createIngest } from './ingest.ts';
import { createSecretTokens } from './secret-tokens.ts';

const environment = readEnvironment({
  OUTRIGGER_CLUSTER: z.string().min(1),
  OUTRIGGER_QUEUE_URL: z.url(),
  OUTRIGGER_TOKEN_SECRET: z.string().min(1),
});
const { log, metrics, handler: lambda } = observe('ingest', environment.OUTRIGGER_CLUSTER);

export const handler = lambda(
  createIngest({
    ...systemClock,
    log,
    metrics,
    wake: createSqsQueue(environment.OUTRIGGER_QUEUE_URL, systemClock.now).wake,
    knows: (name) => name === environment.OUTRIGGER_CLUSTER,
    tokens: createSecretTokens(environment.OUTRIGGER_TOKEN_SECRET, systemClock.now),
  }),
);
