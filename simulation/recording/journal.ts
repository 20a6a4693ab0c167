import type { PodKey } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { SimulatedWorld } from '../world.ts';
import type { TimelineEntry } from './recording.ts';

type WithoutTime<Timed> = Timed extends unknown ? Omit<Timed, 'at'> : never;

/** The entries of a recording as they are made. */
export interface RecordingJournal {
  readonly timeline: readonly TimelineEntry[];
  /** Adds an entry with the present time. */
  readonly add: (entry: WithoutTime<TimelineEntry>) => void;
  /** When each pod was last found unschedulable. */
  readonly waiting: ReadonlyMap<PodKey, EpochMs>;
  /** When the cluster or its load last changed. A failed launch is no change: it is repeated after a backoff. */
  readonly lastChange: () => EpochMs;
  readonly noteChange: () => void;
}

/**
 * Records what happens in a world from now on.
 *
 * @param leftOut the workloads, as `namespace/name`, of whose pods nothing is recorded
 */
export function createJournal({ clock, onEvent }: SimulatedWorld, leftOut: ReadonlySet<string>): RecordingJournal {
  const start = clock.now();
  const timeline: TimelineEntry[] = [];
  const waiting = new Map<PodKey, EpochMs>();
  let lastChange = start;
  const add = (entry: WithoutTime<TimelineEntry>): void => {
    timeline.push({ at: (clock.now() - start) / 1_000, ...entry });
  };
  const noteChange = (): void => {
    lastChange = clock.now();
  };
  onEvent(({ at, ...happening }) => {
    if ('workload' in happening && leftOut.has(happening.workload)) {
      return;
    }
    if (happening.kind === 'PodUnschedulable') {
      waiting.set(happening.pod, at);
    }
    if (happening.kind !== 'LaunchFailed') {
      noteChange();
    }
    add(happening);
  });
  return { timeline, add, waiting, lastChange: () => lastChange, noteChange };
}
