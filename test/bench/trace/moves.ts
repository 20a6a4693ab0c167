import { handle, type TimelineEntry } from '../../../simulation/recording/recording.ts';

const HOUR = 3_600;

/** Reason for an eviction: scale-down removes nodes that are hardly used, each of the others replaces or removes needed ones. */
export type MovedFor = 'scale-down' | 'consolidation' | 'drift' | 'expiry' | 'repair' | 'unknown';

const MOVED_FOR: Readonly<Record<string, MovedFor>> = {
  Empty: 'scale-down',
  Underutilized: 'consolidation',
  Drifted: 'drift',
  Expired: 'expiry',
  Unhealthy: 'repair',
};

export interface Moves {
  /** Number of evictions. */
  readonly evictions: Readonly<Partial<Record<MovedFor, number>>>;
  /** Evictions of a place in a workload within an hour after another one: of any kind, and both by consolidation. */
  readonly twice: number;
  readonly twiceByConsolidation: number;
}

/** When the pod that now has this place was evicted last, whatever its name was then. */
interface Place {
  readonly evicted: number | null;
  readonly consolidated: number | null;
}

const NEVER: Place = { evicted: null, consolidated: null };

/**
 * Counts evictions, and those that came soon after another one of the same place in a workload. A workload's next new pod has
 * the place of its pod that was evicted first.
 */
export function movesIn(timeline: readonly TimelineEntry[]): Moves {
  const removedFor = new Map<string, MovedFor>();
  /** Places of each workload for which no pod has come yet. */
  const open = new Map<string, Place[]>();
  const places = new Map<string, Place>();
  const evictions: Partial<Record<MovedFor, number>> = {};
  const counts = { twice: 0, twiceByConsolidation: 0 };
  for (const entry of timeline) {
    handle<void>(
      {
        ScaleDown: ({ removals }) => {
          for (const { node, reason } of removals) {
            removedFor.set(node, reason === undefined ? 'scale-down' : (MOVED_FOR[reason] ?? 'unknown'));
          }
        },
        PodEvicted: ({ pod, workload, node, at }) => {
          const why = removedFor.get(node) ?? 'unknown';
          const { evicted, consolidated } = places.get(pod) ?? NEVER;
          const isSoon = (before: number | null): number => (before !== null && at - before <= HOUR ? 1 : 0);
          evictions[why] = (evictions[why] ?? 0) + 1;
          counts.twice += isSoon(evicted);
          counts.twiceByConsolidation += why === 'consolidation' ? isSoon(consolidated) : 0;
          const place: Place = { evicted: at, consolidated: why === 'consolidation' ? at : consolidated };
          open.set(workload, [...(open.get(workload) ?? []), place]);
        },
        PodCreated: ({ pod, workload }) => {
          const place = open.get(workload)?.shift();
          if (place !== undefined) {
            places.set(pod, place);
          }
        },
      },
      entry,
    );
  }
  return { evictions, ...counts };
}
