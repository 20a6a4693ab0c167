import { createAwsWorld, SMALL_ANSWERS } from '../shared/aws-world.ts';
import { createDrainHandler } from './handler.ts';
import { STEP_MS } from './pace.ts';
import { createDrainSteps, drainStepsOfQueue } from './steps.ts';

const { world, publish, lambda, drains } = createAwsWorld('drain', {
  maxBodyBytes: SMALL_ANSWERS,
  starts: 'scale-down',
});
const limit = (ms: number): AbortSignal => AbortSignal.timeout(ms);

export const handler =
  drains === 'durable'
    ? createDrainHandler(world, publish)
    : lambda(drainStepsOfQueue(createDrainSteps(world, { stepMs: STEP_MS, limit })));
