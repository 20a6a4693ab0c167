import { isFromTemplate } from '../model/cluster/node.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import type { SnapshotScheduler } from '../estimator/placing.ts';

/**
 * The scheduler with preemption on nodes that are not there yet: pods of some kinds fit beside daemons that they preempt. These
 * stay on the snapshot, so that nothing else is planned into what the pods leave of their room: it is the DaemonSet's again.
 *
 * @param victims the kinds of daemons that pods of a kind preempt.
 */
export function withPreemption(
  { snapshot, scheduler }: SnapshotScheduler,
  victims: ReadonlyMap<PodKind, ReadonlySet<PodKind>>,
): Scheduler {
  if (victims.size === 0) {
    return scheduler;
  }
  const whileAway = <T>(own: ReadonlySet<PodKind>, info: NodeInfo, ask: () => T): T => {
    snapshot.fork();
    for (const [kind, count] of info.pods) {
      if (own.has(kind)) {
        snapshot.remove(kind, info, count);
      }
    }
    const answer = ask();
    snapshot.revert();
    return answer;
  };
  const victimsOn = (kind: PodKind, info: NodeInfo): ReadonlySet<PodKind> | undefined =>
    isFromTemplate(info.node) ? victims.get(kind) : undefined;
  return {
    ...scheduler,
    check: (kind, info) => {
      const own = victimsOn(kind, info);
      const no = scheduler.check(kind, info);
      return no === null || own === undefined ? no : whileAway(own, info, () => scheduler.check(kind, info));
    },
    room: (kind, info, wanted) => {
      const own = victimsOn(kind, info);
      const room = scheduler.room(kind, info, wanted);
      return room > 0 || own === undefined ? room : whileAway(own, info, () => scheduler.room(kind, info, wanted));
    },
    preempts: (kind) => victims.has(kind),
  };
}
