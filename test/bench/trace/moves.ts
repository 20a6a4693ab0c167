import { handle, type Entry } from '../../../cli/demo/record/recording.ts';

const HOUR = 3_600;

/**
 * How many evictions were of a pod that came in place of one that had been evicted within the hour before. A workload's next
 * new pod is in the place of its pod that was evicted first.
 */
export function movedTwice(timeline: readonly Entry[]): number {
  /** Of each workload, when pods were evicted that nothing has come for yet. */
  const open = new Map<string, number[]>();
  /** When the pod was evicted in whose place this one is. */
  const movedAt = new Map<string, number>();
  let twice = 0;
  for (const entry of timeline) {
    handle<void>(
      {
        PodEvicted: ({ pod, workload, at }) => {
          const before = movedAt.get(pod);
          twice += before !== undefined && at - before <= HOUR ? 1 : 0;
          open.set(workload, [...(open.get(workload) ?? []), at]);
        },
        PodCreated: ({ pod, workload }) => {
          const evicted = open.get(workload)?.shift();
          if (evicted !== undefined) {
            movedAt.set(pod, evicted);
          }
        },
      },
      entry,
    );
  }
  return twice;
}
