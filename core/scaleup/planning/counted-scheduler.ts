import type { Scheduler } from '../../scheduling/scheduler.ts';

/** A scheduler that counts what it is asked. */
export interface CountedScheduler {
  readonly scheduler: Scheduler;
  /** So many questions so far. */
  readonly asked: () => number;
}

export function counting({ check, room }: Scheduler): CountedScheduler {
  let asked = 0;
  return {
    scheduler: {
      check: (kind, info) => {
        asked += 1;
        return check(kind, info);
      },
      room: (kind, info, wanted) => {
        asked += 1;
        return room(kind, info, wanted);
      },
    },
    asked: () => asked,
  };
}
