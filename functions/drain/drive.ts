import { addTime, epochMs, seconds } from '@outrigger/core/model/values/time.ts';
import type { DrainRequest } from '@outrigger/core/ports/executions.ts';
import { untilNextStep } from '@outrigger/core/drain/drivers.ts';
import { managedCluster, type DrainServices } from '../shared/services.ts';
import { advance, type Driven, type Driver, newlyDriven } from './advance.ts';
import type { Pace } from './pace.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/**
 * A drive ends after this many rounds, and the schedule starts another one: a durable execution may have 3 000 operations,
 * and each round is two of them.
 */
const MAX_ROUNDS = 1_200;
/** When the store does not answer. */
const TROUBLE_WAIT = seconds(10);

interface Round {
  readonly left: readonly Driven[];
  readonly waitMs: number;
}

/**
 * Drives drains to their ends, all of them in step: each round takes those further that are due. A drain that another
 * driver has taken over is left to it. Scale-down is started when drains have ended, for others may begin.
 *
 * It may be killed at any moment, and another driver go on: what is stored is the truth, and results of effects that were
 * not stored are read from the cluster and the cloud.
 */
export async function driveDrains(
  services: DrainServices,
  { cluster: name, ids, attempt }: DrainRequest,
  pace: Pace,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const cluster = managedCluster(services, name);
  if (cluster === null || services.dryRun) {
    return;
  }
  const driver = { services, cluster, signal, attempt, pace };
  let round: Round = { left: ids.map((id) => newlyDriven(id, epochMs(0))), waitMs: 0 };
  for (let number = 1; number <= MAX_ROUNDS && round.left.length > 0; number += 1) {
    const { left } = round;
    round = await pace.step(`round ${number}`, () => advanceAll(driver, left, 'stays'));
    if (round.left.length > 0) {
      await pace.wait(`wait ${number}`, round.waitMs);
    }
  }
}

/**
 * Takes drains further that are due.
 *
 * @param others what becomes of a drain that a driver of the same number has taken further: a driver that stays goes on with
 *   it; one that comes as a message may have come twice, and leaves it to the other.
 */
export async function advanceAll(
  driver: Driver,
  driven: readonly Driven[],
  others: 'stays' | 'leaves',
): Promise<Round> {
  const { services, cluster, signal, pace } = driver;
  const limited = { ...driver, signal: AbortSignal.any([signal, pace.limit(pace.stepMs)]) };
  let ended = false;
  const outcomes = await Promise.all(
    driven.map(async (one): Promise<Driven | null> => {
      if (one.dueAt > services.now()) {
        return one;
      }
      try {
        const outcome = await advance(limited, one);
        ended ||= outcome.kind === 'ended';
        if (outcome.kind === 'on' || (outcome.kind === 'overtaken' && others === 'stays')) {
          return outcome.driven;
        }
        return null;
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
  const left = presentItems(outcomes);
  return { left, waitMs: untilNextStep(left, services.now()) };
}
