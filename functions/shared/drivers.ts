import type { Executions } from '@outrigger/core/ports/executions.ts';
import { createDrainQueue } from '@outrigger/providers/aws/lambda/drain-queue.ts';
import { createDrainExecutions } from '@outrigger/providers/aws/lambda/executions.ts';
import type { StackEnvironment } from '@outrigger/providers/aws/lambda/stack-environment.ts';

/** Starts drivers of drains: durable executions, or messages of a queue where the stack has one. */
export const createDrivers = ({
  OUTRIGGER_DRAIN_QUEUE_URL: queue,
  OUTRIGGER_DRAIN_FUNCTION: drain,
}: StackEnvironment): Pick<Executions, 'startDrains' | 'continueDrains'> =>
  queue === null ? createDrainExecutions(drain) : createDrainQueue(queue);
