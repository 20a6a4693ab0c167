import { byName } from '../../core/model/values/names.ts';
import type { Pod } from '../../core/model/cluster/pod.ts';
import type { ClusterObjects } from '../../core/model/scenario.ts';
import { clusterSnapshot } from '../../core/scheduling/cluster-snapshot.ts';
import type { Rejection } from '../../core/scheduling/plugin.ts';
import { createScheduler } from '../../core/scheduling/scheduler.ts';
import { feasible } from './extender.ts';

/**
 * Messages that the scheduler would write into the `PodScheduled` condition of each pod, by our engine: which nodes are
 * feasible, and how many of the others fail for which reason. A pod may have two forms, as the message counts nodes
 * only where a Filter rejected them.
 */
export function ourMessages(objects: ClusterObjects, pods: readonly Pod[]): ReadonlyMap<Pod, readonly string[]> {
  const snapshot = clusterSnapshot(objects, pods);
  const scheduler = createScheduler(snapshot, objects);
  return new Map(
    pods.map((pod) => {
      const kind = snapshot.kindOf(pod);
      const reasons = new Map<string, number>();
      const seen = new Set<Rejection | null>();
      let total = 0;
      for (const info of snapshot.nodes) {
        if (info !== null) {
          total++;
          const rejection = scheduler.check(kind, info);
          seen.add(rejection);
          for (const reason of rejection === null ? [feasible(info.name)] : reasonsOf(rejection)) {
            reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
          }
        }
      }
      const head = `0/${total} nodes are available:`;
      const counted = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort(byName);
      const messages = [`${head} ${counted.join(', ')}.`];
      const [only] = seen;
      if (seen.size === 1 && only !== null && only !== undefined) {
        messages.push(`${head} ${reasonsOf(only).join(', ')}.`);
      }
      return [pod, messages];
    }),
  );
}

/** The reasons in the scheduler's words: it is asked to allocate devices where they are not simulated, and no node has any. */
const reasonsOf = ({ reasons }: Rejection): readonly string[] =>
  reasons.map((reason) => (reason.includes(' stands for devices ') ? 'cannot allocate all claims' : reason));
