import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import type { DrainStep } from '@outrigger/core/ports/executions.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import { epochMs } from '@outrigger/core/model/values/time.ts';
import { managedCluster, type Work, type DrainServices } from '../shared/services.ts';
import { type Driven, newlyDriven } from './advance.ts';
import { advanceAll } from './drive.ts';
import type { Pace } from './pace.ts';

/** The input of a driver of drains. */
export const drainRequest = z.object({
  cluster: z.string().min(1).transform(clusterName),
  ids: z.array(z.string().min(1)).min(1),
  attempt: z.int().min(1),
});

const Step = drainRequest.extend({
  // The function itself has sent this list.
  left: z.array(z.custom<Driven>((one) => typeof (one as Partial<Driven> | null)?.id === 'string')).optional(),
});

/**
 * Drives drains where there are no durable functions: each invocation is one round, and sends the message that brings the
 * next one. What is stored is the truth here, too: of two messages for the same step one is taken, and a driver whose
 * message is lost is found out when its lease ends, and started again by the schedule.
 */
export const createDrainSteps =
  (services: DrainServices, pace: Pick<Pace, 'stepMs' | 'limit'>): Work<DrainStep, void> =>
  async (event, { signal }) => {
    const { left: before, ...request } = Step.parse(event);
    const cluster = managedCluster(services, request.cluster);
    if (cluster === null || services.dryRun) {
      return;
    }
    const driven = before ?? request.ids.map((id) => newlyDriven(id, epochMs(0)));
    const { left, waitMs } = await advanceAll(
      { services, cluster, signal, attempt: request.attempt, pace },
      driven,
      'leaves',
    );
    if (left.length > 0) {
      await services.continueDrains({ ...request, left }, waitMs);
    }
  };

/** The same for messages of the queue of drains, one at a time: a failed message is delivered again. */
export const drainStepsOfQueue =
  (steps: Work<DrainStep, void>): Work<SQSEvent, void> =>
  async ({ Records }, invocation) => {
    for (const { body } of Records) {
      await steps(JSON.parse(body) as DrainStep, invocation);
    }
  };
