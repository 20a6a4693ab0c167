import { createDrainQueue } from '@outrigger/providers/aws/lambda/drain-queue.ts';
import { createScaleDownCalls } from '@outrigger/providers/aws/lambda/scale-down-calls.ts';
import { createDrainPersistence } from '@outrigger/providers/dynamodb/drain-persistence.ts';
import { clusterAccessOver, objectsOf } from '@outrigger/providers/kubernetes/access.ts';
import { readOptions } from '@outrigger/providers/scenario/read-options.ts';
import { openStack } from '../shared/aws-stack.ts';
import { changesOnAws, smallTransport } from '../shared/changes-on-aws.ts';
import { systemClock } from '../shared/clock.ts';
import { autoScalingClient, terminationsOf } from '../shared/stack-settings.ts';
import type { DrainServices } from '../shared/services.ts';
import { createDrain, drainOfQueue } from './drain.ts';
import { STEP_MS } from './step-limits.ts';

const stack = openStack('drain', 'drains', 'scale-down');
const { environment, cluster: name, services, table, lambda } = stack;
const options = readOptions(JSON.parse(environment.OUTRIGGER_OPTIONS), 'OUTRIGGER_OPTIONS');
const access = {
  ...objectsOf(options),
  now: systemClock.now,
  warn: (message: string): void => services.log.warn(message),
};
const autoScaling = autoScalingClient(environment, name);
const transport = smallTransport(stack);
const cluster = {
  name,
  options,
  ...clusterAccessOver(transport, access),
  groups: changesOnAws(stack, { autoScaling, transport }),
  terminations: terminationsOf(environment, name, autoScaling),
};
const drainServices: DrainServices = {
  ...services,
  ...createDrainPersistence(table),
  ...createDrainQueue(environment.OUTRIGGER_DRAIN_QUEUE_URL),
  ...createScaleDownCalls(environment.OUTRIGGER_SCALE_DOWN_FUNCTION),
  cluster: (wanted) => (wanted === name ? cluster : null),
};

export const handler = lambda(
  drainOfQueue(createDrain(drainServices, { stepMs: STEP_MS, limit: (ms) => AbortSignal.timeout(ms) })),
);
