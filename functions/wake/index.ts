import * as z from 'zod';
import { clusterName } from '../../core/model/values/names.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/environment.ts';
import { observe } from '../shared/handler.ts';
import { createSqsQueue } from '../shared/sqs.ts';
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
