import { clippedList } from '../../model/clip.ts';
import type { PodReason } from '../../model/decision.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Demand } from '../../estimator/demand.ts';
import { whyGroupCannotHelp } from '../../words/why-group-skipped.ts';
import { nodesLeft, onFreshNodes, type Round, skipOf } from './round.ts';
import { newNodeVerdict } from './verdict.ts';

/** Pods of one kind for which nothing is bought now. */
export interface LeftOver {
  readonly kind: PodKind;
  readonly pods: readonly Pod[];
  /** Some group would hold them, but for a limit or because another decision comes first. */
  readonly awaiting: boolean;
  readonly reasons: readonly PodReason[];
}

/** Limits that the decisions of this very evaluation have used up. */
const USED_UP: ReadonlySet<string> = new Set(['MaxSizeReached', 'ResourceLimitExceeded']);

const NO_GROUP: PodReason = { reason: 'there is no node group' };

/**
 * Why nothing is bought for these pods, group by group.
 *
 * @param skipped the groups that could not grow from the start.
 */
export function leftOvers(round: Round, demands: readonly Demand[], skipped: ReadonlySet<string>): readonly LeftOver[] {
  if (demands.length === 0) {
    return [];
  }
  const later =
    nodesLeft(round) > 0
      ? 'waits for a later decision'
      : `maxNodesPerScaleup ${round.scenario.options.maxNodesPerScaleup} reached, the next evaluation goes on`;
  const verdicts = round.scenario.nodeGroups.map((group) => {
    const skip = skipOf(round, group);
    const usedUp = skip !== null && USED_UP.has(skip.reason) && !skipped.has(group.name);
    if (skip !== null && !usedUp) {
      const reason: PodReason = { group: group.name, reason: whyGroupCannotHelp(skip) };
      const simulated =
        round.scenario.options.scaleupSimulationForSkippedNodeGroupsEnabled && round.templates.has(group.name);
      return simulated
        ? onFreshNodes(round, group.name, (nodes) =>
            demands.map(({ kind }) => {
              const no = newNodeVerdict(round.scheduler, kind, nodes);
              return {
                reason: no === null ? reason : { group: group.name, reason: no.reasons.join(', ') },
                holds: false,
              };
            }),
          )
        : demands.map(() => ({ reason, holds: false }));
    }
    const waits = { group: group.name, reason: skip === null ? later : whyGroupCannotHelp(skip) };
    return onFreshNodes(round, group.name, (nodes) =>
      demands.map(({ kind }) => {
        const no = newNodeVerdict(round.scheduler, kind, nodes);
        return no === null
          ? { reason: waits, holds: true }
          : { reason: { group: group.name, reason: clippedList(no.reasons) }, holds: false };
      }),
    );
  });
  return demands.map(({ kind, pods }, i) => ({
    kind,
    pods,
    awaiting: verdicts.some((ofGroup) => ofGroup[i]!.holds),
    reasons: verdicts.length === 0 ? [NO_GROUP] : verdicts.map((ofGroup) => ofGroup[i]!.reason),
  }));
}
