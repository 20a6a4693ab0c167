import type { DurationMs } from '../model/values/time.ts';
import type { Scheduler } from './scheduler.ts';

/** A scheduler that counts its checks, for budgets that are counted and not timed. */
export interface BudgetedScheduler extends Scheduler {
  /** Number of scheduler checks made so far. */
  readonly schedulerChecks: () => number;
  /** Counts checks that were not made again because their answers are known: a budget covers the same checks either way. */
  readonly addSchedulerChecks: (count: number) => void;
}

/** @param inner if it counts its own checks, it counts the new scheduler's checks, too. */
export function budgeted(inner: Scheduler | BudgetedScheduler): BudgetedScheduler {
  const { check, room, cost, isTimeUp } = inner;
  let checks = 0;
  return {
    check: (kind, info) => {
      const no = check(kind, info);
      checks += cost(kind);
      return no;
    },
    room: (kind, info, wanted) => {
      const most = room(kind, info, wanted);
      checks += cost(kind);
      return most;
    },
    everywhere: (kind) => inner.everywhere(kind),
    cost,
    preempts: (kind) => inner.preempts(kind),
    isTimeUp,
    schedulerChecks: () => checks,
    addSchedulerChecks: (count) => {
      checks += count;
      if ('addSchedulerChecks' in inner) {
        inner.addSchedulerChecks(count);
      }
    },
  };
}

/**
 * Scheduler checks (one kind of pod against one node) per millisecond of an option that limits how long something is
 * simulated. Checks are counted, not timed, so that equal input gives equal output.
 */
export const SCHEDULER_CHECKS_PER_MS = 100;

/**
 * The scheduler checks that are left of a budget which begins now; below 0 when it is overdrawn, 0 when the time is up.
 *
 * @param duration the option; 0 is no limit.
 */
export function schedulerChecksLeft(scheduler: BudgetedScheduler, duration: DurationMs): () => number {
  const budget = duration === 0 ? Number.POSITIVE_INFINITY : duration * SCHEDULER_CHECKS_PER_MS;
  const end = scheduler.schedulerChecks() + budget;
  return () => {
    const left = end - scheduler.schedulerChecks();
    return scheduler.isTimeUp() ? Math.min(0, left) : left;
  };
}

/** Number of scheduler checks made so far, for searches that compare it with their limit; infinite when the time is up. */
export const schedulerChecksMade = (scheduler: BudgetedScheduler): number =>
  scheduler.isTimeUp() ? Number.POSITIVE_INFINITY : scheduler.schedulerChecks();
