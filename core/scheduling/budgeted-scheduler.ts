import type { Scheduler } from './scheduler.ts';

/** A scheduler that counts what it is asked. */
export interface CountedScheduler extends Scheduler {
  /** So many questions so far. */
  readonly asked: () => number;
  /** Counts questions that were not asked again, as their answers are known: what a budget buys does not depend on that. */
  readonly charge: (questions: number) => void;
}

/** @param inner is charged as well if it counts, too. */
export function counting(inner: Scheduler | CountedScheduler): CountedScheduler {
  const { check, room } = inner;
  let asked = 0;
  return {
    check: (kind, info) => {
      asked += 1;
      return check(kind, info);
    },
    room: (kind, info, wanted) => {
      asked += 1;
      return room(kind, info, wanted);
    },
    asked: () => asked,
    charge: (questions) => {
      asked += questions;
      if ('charge' in inner) {
        inner.charge(questions);
      }
    },
  };
}
