import { isDaemon, isFinished, type Pod } from '../../core/model/cluster/pod.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import type { Stage } from './invariants/invariant.ts';

/** How many pods of each workload there are and were, by its key, whatever it is to have. Pods on their way out do not count. */
export interface PodsThere {
  readonly at: (workload: string, time: number) => number;
  /** The most at any time of these. */
  readonly most: (workload: string, from: number, to: number) => number;
}

/** A workload's controller may be slow: there are more pods than there are to be until it has deleted some, or fewer. */
export function watchPodsThere({ world: { api, controllers, clock } }: Pick<Stage, 'world'>): PodsThere {
  const history = new Map<string, readonly { readonly at: EpochMs; readonly pods: number }[]>();
  const counts = (pod: Pod | null): boolean =>
    pod !== null && pod.deletedAt === null && !isDaemon(pod) && !isFinished(pod);
  const changed = (of: Pod, by: number): void => {
    const workload = controllers.workloadOf(of);
    const past = history.get(workload) ?? [];
    const now = clock.now();
    const entry = { at: now, pods: (past.at(-1)?.pods ?? 0) + by };
    // A pod that is deleted and made anew at the same time is one pod.
    history.set(workload, [...(past.at(-1)?.at === now ? past.slice(0, -1) : past), entry]);
  };
  api.watch({
    pod: (pod, before) => {
      if (counts(pod) !== counts(before)) {
        changed(pod, counts(pod) ? 1 : -1);
      }
    },
    podDeleted: (pod) => {
      if (counts(pod)) {
        changed(pod, -1);
      }
    },
  });
  const at: PodsThere['at'] = (workload, time) => history.get(workload)?.findLast((one) => one.at <= time)?.pods ?? 0;
  return {
    at,
    most: (workload, from, to) =>
      Math.max(
        at(workload, from),
        ...(history.get(workload) ?? []).flatMap((one) => (one.at > from && one.at <= to ? [one.pods] : [])),
      ),
  };
}
