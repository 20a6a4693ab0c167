import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { counted, pluralOf } from '@outrigger/core/model/values/counted.ts';
import { length, shortName } from '../../terminal/text.ts';
import {
  type TimelineEntry,
  handle,
  type Handlers,
  type LoadEntry,
} from '@outrigger/simulation/recording/recording.ts';
import { textIf } from '@outrigger/core/model/values/optional.ts';
import { movesOf, type Move } from './moves.ts';
import { type News, news } from './news.ts';

/** News about the pods of workloads. */
export interface WorkloadNews {
  /** Takes a step of the load: how many pods a workload is to have. */
  readonly load: (entry: LoadEntry) => void;
  /** @returns what there is to show: a workload is complete, has finished, has moved, or waits for its budget. */
  readonly advance: (entry: TimelineEntry) => News | null;
}

interface Progress {
  readonly name: string;
  wanted: number;
  minAvailable: number | null;
  readonly running: Set<string>;
  finished: number;
  /** The number of running pods that was shown last. */
  shown: number;
  waits: number[];
  /** Evictions that are going on, and the fewest pods that were available meanwhile. */
  move: Move | null;
  fewest: number;
  refused: boolean;
}

/** Follows the workloads of a recording. */
export function createWorkloadNews(timeline: readonly TimelineEntry[]): WorkloadNews {
  const progress = new Map<string, Progress>();
  const of = (workload: string): Progress => getOrMake(progress, workload, () => noProgress(workload));
  const onEntry = { ...startsAndEnds(of), ...evictions(of, movesOf(timeline)) };
  return {
    load: ({ step, subject, count, minAvailable }) => {
      if (step === 'deploy' || step === 'job') {
        progress.delete(subject);
      }
      if (step !== 'capacity' && step !== 'interruption') {
        Object.assign(of(subject), { wanted: count, minAvailable, shown: 0, waits: [] });
      }
    },
    advance: (entry) => handle(onEntry, entry),
  };
}

const noProgress = (workload: string): Progress => ({
  name: shortName(workload),
  wanted: 0,
  minAvailable: null,
  running: new Set(),
  finished: 0,
  shown: 0,
  waits: [],
  move: null,
  fewest: 0,
  refused: false,
});

type ProgressOf = (workload: string) => Progress;

function startsAndEnds(of: ProgressOf): Handlers<News | null> {
  const pendingSince = new Map<string, number>();
  return {
    PodCreated: ({ pod, at }) => {
      pendingSince.set(pod, at);
      return null;
    },
    PodRunning: ({ pod, workload, at }) => {
      const one = of(workload);
      one.running.add(pod);
      one.waits.push(at - (pendingSince.get(pod) ?? at));
      if (one.running.size === one.wanted && one.shown !== one.wanted) {
        return complete(one);
      }
      return moved(one, at);
    },
    PodFinished: ({ workload }) => {
      const one = of(workload);
      one.finished += 1;
      if (one.finished !== one.wanted) {
        return null;
      }
      const what =
        one.wanted === 1
          ? `the pod of ${one.name} has finished`
          : `all ${one.wanted} pods of ${one.name} have finished`;
      return news('done', 'green', what);
    },
    PodDeleted: ({ pod, workload }) => {
      of(workload).running.delete(pod);
      return null;
    },
  };
}

function evictions(of: ProgressOf, moves: ReadonlyMap<string, readonly Move[]>): Handlers<News | null> {
  return {
    PodEvicted: ({ pod, workload, at }) => {
      const one = of(workload);
      one.running.delete(pod);
      if (one.move === null) {
        one.move = moves.get(workload)?.find(({ since, until }) => since <= at && at <= until) ?? null;
        one.fewest = one.wanted;
        one.refused = false;
      }
      one.fewest = Math.min(one.fewest, one.running.size);
      return null;
    },
    EvictionRefused: ({ workload }) => {
      const one = of(workload);
      if (one.refused) {
        return null;
      }
      one.refused = true;
      return news(
        'budget',
        'yellow',
        `${one.name}: ${one.minAvailable ?? 'some'} of its ${counted(one.wanted, 'pod')} must be available; the next eviction waits until the evicted pod runs elsewhere`,
      );
    },
  };
}

/** All pods of a workload are running. */
function complete(one: Progress): News {
  one.shown = one.wanted;
  const slowest = length(Math.max(...one.waits));
  if (one.wanted === 1) {
    return news('running', 'green', `the pod of ${one.name} is running after ${slowest}`);
  }
  return news('running', 'green', `all ${one.wanted} pods of ${one.name} are running; the slowest took ${slowest}`);
}

/** All pods that were evicted are running again; `null` while some are not, or where none was evicted. */
function moved(one: Progress, at: number): News | null {
  const { move, fewest, minAvailable } = one;
  if (move === null || at < move.until || one.running.size < one.wanted) {
    return null;
  }
  one.move = null;
  const kept = textIf(minAvailable !== null, `; at least ${fewest} were available throughout`);
  return news(
    'moved',
    'green',
    `${counted(move.pods, 'pod')} of ${one.name} ${pluralOf('runs', move.pods, 'run')} elsewhere, ${length(at - move.since)} after the first eviction${kept}`,
  );
}
