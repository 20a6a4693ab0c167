import * as z from 'zod';
import { clusterName } from '../../core/model/values/names.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../../providers/aws/lambda/environment.ts';
import { observe } from '../../providers/aws/lambda/handler.ts';
import { createSqsQueue } from '../../providers/aws/wake-ups/queue.ts';
import { createWake } from './wake.ts';

const environment = readEnvironment({
  OUTRIGGER_CLUSTER: z.string().min(1),
  OUTRIGGER_QUEUE_URL: z.url(),
});
const { log, metrics, handler: lambda } = observe('wake', environment.OUTRIGGER_CLUSTER);

export const handler = lambda(
  createWake(
    { ...systemClock, log, metrics, wake: createSqsQueue(environment.OUTRIGGER_QUEUE_URL, systemClock.now).wake },
    clusterName(environment.OUTRIGGER_CLUSTER),
  ),
);
