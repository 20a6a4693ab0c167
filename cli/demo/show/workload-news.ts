import { movesOf, type Move } from './moves.ts';
import { type Entry, handle, type Handlers, type LoadEntry } from '../record/recording.ts';
import { counted } from '../../../core/model/values/counted.ts';
import { length, shortName } from '../../terminal/text.ts';

export interface News {
  readonly tag: string;
  readonly text: string;
}

interface Progress {
  wanted: number;
  minAvailable: number | null;
  readonly running: Set<string>;
  finished: number;
  /** The number of pods that was told of last. */
  told: number;
  readonly waits: number[];
  /** Evictions that are going on, and the fewest pods that were available meanwhile. */
  move: Move | null;
  fewest: number;
  refused: boolean;
}

/** Follows workloads, to tell when one is complete, and when one has moved. */
export function createWorkloadNews(timeline: readonly Entry[]) {
  const progress = new Map<string, Progress>();
  const pendingSince = new Map<string, number>();
  const moves = movesOf(timeline);
  const of = (workload: string): Progress => {
    const known = progress.get(workload) ?? {
      wanted: 0,
      minAvailable: null,
      running: new Set(),
      finished: 0,
      told: 0,
      waits: [],
      move: null,
      fewest: 0,
      refused: false,
    };
    progress.set(workload, known);
    return known;
  };

  const moved = (workload: string, at: number): News | null => {
    const one = of(workload);
    const { move, fewest, minAvailable } = one;
    if (move === null || at < move.until || one.running.size < one.wanted) {
      return null;
    }
    one.move = null;
    const kept = minAvailable === null ? '' : `; never fewer than ${fewest} were available`;
    return {
      tag: 'moved',
      text: `${counted(move.pods, 'pod')} of ${shortName(workload)} run elsewhere, ${length(at - move.since)} after the first eviction${kept}`,
    };
  };

  const onEntry: Handlers<News | null> = {
    PodCreated: ({ pod, at }) => {
      pendingSince.set(pod, at);
      return null;
    },
    PodRunning: ({ pod, workload, at }) => {
      const one = of(workload);
      one.running.add(pod);
      one.waits.push(at - (pendingSince.get(pod) ?? at));
      if (one.running.size !== one.wanted || one.told === one.wanted) {
        return moved(workload, at);
      }
      one.told = one.wanted;
      const slowest = length(Math.max(...one.waits));
      const name = shortName(workload);
      return {
        tag: 'running',
        text:
          one.wanted === 1
            ? `the pod of ${name} runs, after ${slowest}`
            : `all ${one.wanted} pods of ${name} run; the slowest took ${slowest}`,
      };
    },
    PodFinished: ({ workload }) => {
      const one = of(workload);
      one.finished += 1;
      return one.finished === one.wanted
        ? { tag: 'done', text: `all ${counted(one.wanted, 'pod')} of ${shortName(workload)} have finished` }
        : null;
    },
    PodDeleted: ({ pod, workload }) => {
      of(workload).running.delete(pod);
      return null;
    },
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
      return {
        tag: 'budget',
        text: `${shortName(workload)}: ${one.minAvailable ?? 'some'} of its ${counted(one.wanted, 'pod')} must be available; the next eviction waits until the pod before runs elsewhere`,
      };
    },
  };

  return {
    load: ({ step, subject, count, minAvailable }: LoadEntry): void => {
      if (step === 'deploy' || step === 'job') {
        progress.delete(subject);
      }
      if (step !== 'capacity') {
        Object.assign(of(subject), { wanted: count, minAvailable, told: 0, waits: [] });
      }
    },
    advance: (entry: Entry): News | null => handle(onEntry, entry),
  };
}
