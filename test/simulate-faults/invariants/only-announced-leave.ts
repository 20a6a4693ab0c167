import type { Drain } from '../../../core/model/drain.ts';
import type { NoticeKind } from '../../../core/model/notice.ts';
import type { InstanceId } from '../../../core/model/values/names.ts';
import { clockError, dueFrom, isToBeAnswered } from '../deadlines.ts';
import type { Invariant, Stage } from './invariant.ts';

/**
 * A node is drained for a notice only where the cloud has announced the end of its own instance, and the options want an
 * answer: not before its time, and none for an instance of another cluster.
 */
export const onlyAnnouncedLeave: Invariant = {
  name: 'no node leaves for a notice that is not about it',
  on: ['aws'],
  assumes: ['skew'],
  watch: (stage, violate, count) => {
    const { scenario, world } = stage;
    const ours = new Set(world.scaling.groups().flatMap(({ instances }) => instances.map(({ id }) => id)));
    return {
      event: (event) => {
        if (event.kind === 'InstanceLaunched') {
          ours.add(event.instance);
        }
      },
      decided: (seen, decision) => {
        const owners = new Map(
          seen.nodeGroups.flatMap(({ instances }) => instances.map(({ id, node }) => [node, id] as const)),
        );
        for (const { node, notice } of decision.departures ?? []) {
          const id = owners.get(node);
          if (id === undefined || !isTrue(stage, id, notice)) {
            violate(`${node} is taken to leave for a notice (${notice}) that nobody gave of ${id ?? 'its instance'}`);
          }
        }
      },
      drain: ({ drain }, before) => {
        if (before !== null || drain.notice === undefined) {
          return;
        }
        count(true);
        const why = whyNot(stage, drain);
        if (why !== null) {
          violate(`${drain.node} is drained for a notice (${drain.notice.kind}) of ${drain.instance}, ${why}`);
        }
      },
      taken: ({ instance }) => {
        if (!ours.has(instance)) {
          world.clock.after(scenario.beyond === 'lag' ? 60_000 : 30_000, () => {
            count(true);
            // An instance of a warm pool may have joined its group meanwhile.
            const isKept = (stage.remembered()?.notices ?? []).some((notice) => notice.instance === instance);
            if (isKept && !ours.has(instance)) {
              violate(`a notice of ${instance} is kept, which is no instance of the cluster`);
            }
          });
        }
      },
    };
  },
};

const isTrue = ({ announcements }: Stage, id: InstanceId, kind: NoticeKind): boolean =>
  announcements.of(id).some(({ what }) => what === kind);

function whyNot(stage: Stage, { instance, notice }: Drain): string | null {
  const { announcements, scenario, world } = stage;
  const known = announcements.of(instance);
  const meant = known.filter(({ what }) => what === notice!.kind);
  if (meant.length === 0) {
    return 'which nobody gave';
  }
  // A notice is of the most urgent kind, and may have the hook of another one.
  const answered = known.filter(
    (one) =>
      isToBeAnswered(one, scenario.options) ||
      // Not at once: when the pods of the node have places elsewhere.
      (one.what === 'RebalanceRecommendation' && scenario.options.rebalanceRecommendation === 'replace'),
  );
  if (answered.length === 0) {
    return 'which the options leave to the cloud, or which is for another tool';
  }
  const now = world.clock.now();
  return answered.some((one) => dueFrom(one) - clockError(stage, now) <= now) ? null : 'long before its time';
}
