import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { untilNextStep } from '@outrigger/core/drain/drivers.ts';
import type { DrainRound } from '@outrigger/core/ports/executions.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import { addTime, epochMs, seconds } from '@outrigger/core/model/values/time.ts';
import { managedCluster, type Work, type DrainServices } from '../shared/services.ts';
import { advance, type Driven, type Driver, newlyDriven } from './advance.ts';
import type { StepLimits } from './step-limits.ts';

const roundSchema = z.object({
  cluster: z.string().min(1).transform(clusterName),
  ids: z.array(z.string().min(1)).min(1),
  attempt: z.int().min(1),
  // The function itself has sent this list.
  left: z.array(z.custom<Driven>((one) => typeof (one as Partial<Driven> | null)?.id === 'string')).optional(),
});

/** When the store does not answer. */
const TROUBLE_WAIT = seconds(10);

/**
 * Drives drains, all of them in step: each invocation is one round, which takes those further that are due, and sends the
 * message that brings the next round. A drain that another driver has taken over is left to it.
 *
 * The function may be killed at any moment: what is stored is the truth, and results of effects that were not stored are
 * read from the cluster and the cloud. Of two messages for the same round one is taken. A driver whose message is lost is
 * found out when its lease ends, and started again by the schedule.
 */
export const createDrain =
  (services: DrainServices, limits: StepLimits): Work<DrainRound, void> =>
  async (event, { signal }) => {
    const { left: before, ...round } = roundSchema.parse(event);
    const cluster = managedCluster(services, round.cluster);
    if (cluster === null || services.dryRun) {
      return;
    }
    // In a process that ends no round begins.
    signal.throwIfAborted();
    const driven = before ?? round.ids.map((id) => newlyDriven(id, epochMs(0)));
    const left = await advanceAll({ services, cluster, signal, attempt: round.attempt, ...limits }, driven);
    if (left.length > 0) {
      await services.continueDrains({ ...round, left }, untilNextStep(left, services.now()));
    }
  };

/** The same for messages of the queue of drains, one at a time: a failed message is delivered again. */
export const drainOfQueue =
  (drain: Work<DrainRound, void>): Work<SQSEvent, void> =>
  async ({ Records }, invocation) => {
    for (const { body } of Records) {
      await drain(JSON.parse(body) as DrainRound, invocation);
    }
  };

/**
 * Takes drains further that are due. Scale-down is started when drains have ended, for others may begin.
 *
 * @returns the drains that are left to this driver
 */
async function advanceAll(driver: Driver, driven: readonly Driven[]): Promise<readonly Driven[]> {
  const { services, cluster, signal, stepMs, limit } = driver;
  const limited = { ...driver, signal: AbortSignal.any([signal, limit(stepMs)]) };
  let ended = false;
  const outcomes = await Promise.all(
    driven.map(async (one): Promise<Driven | null> => {
      if (one.dueAt > services.now()) {
        return one;
      }
      try {
        const outcome = await advance(limited, one);
        ended ||= outcome.kind === 'ended';
        return outcome.kind === 'on' ? outcome.driven : null;
      } catch (error) {
        signal.throwIfAborted();
        services.log.warn(`${cluster.name}: drain ${one.id} could not be taken further; it is tried again`, { error });
        return newlyDriven(one.id, addTime(services.now(), TROUBLE_WAIT));
      }
    }),
  );
  if (ended) {
    await services
      .startScaleDown(cluster.name)
      .catch((error: unknown) =>
        services.log.warn(`Scale-down of cluster ${cluster.name} waits for its scan`, { error }),
      );
  }
  return presentItems(outcomes);
}
