import { createScaleDownCalls } from '@outrigger/providers/aws/lambda/executions.ts';
import { createDrainPersistence } from '@outrigger/providers/dynamodb/drain-persistence.ts';
import { clusterAccessOver, objectsOf } from '@outrigger/providers/kubernetes/access.ts';
import { readOptions } from '@outrigger/providers/scenario/read-options.ts';
import { openStack } from '../shared/aws-stack.ts';
import { changesOnAws, smallTransport } from '../shared/changes-on-aws.ts';
import { systemClock } from '../shared/clock.ts';
import { createDrainDrivers } from '../shared/drain-drivers.ts';
import { autoScalingClient, terminationsOf } from '../shared/stack-settings.ts';
import type { DrainServices } from '../shared/services.ts';
import { createDrainHandler } from './handler.ts';
import { STEP_MS } from './pace.ts';
import { createDrainSteps, drainStepsOfQueue } from './steps.ts';

const stack = openStack('drain', 'scale-down');
const { environment, cluster: name, services, table, lambda, publish } = stack;
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
const world: DrainServices = {
  ...services,
  ...createDrainPersistence(table),
  ...createDrainDrivers(environment),
  ...createScaleDownCalls(environment.OUTRIGGER_SCALE_DOWN_FUNCTION),
  cluster: (wanted) => (wanted === name ? cluster : null),
};
const limit = (ms: number): AbortSignal => AbortSignal.timeout(ms);

export const handler =
  environment.OUTRIGGER_DRAIN_QUEUE_URL === null
    ? createDrainHandler(world, publish)
    : lambda(drainStepsOfQueue(createDrainSteps(world, { stepMs: STEP_MS, limit })));
