import { counted } from '../../core/model/values/counted.ts';
import type {
  Consideration,
  Decision,
  Increase,
  PodOutcomeKind,
  Removal,
  SkippedGroup,
} from '../../core/model/decision.ts';
import { repairText } from '../../core/words/repairs.ts';
import { SCALE_UP_RESULTS } from '../../core/words/outcomes.ts';
import { whyGroupSkipped } from '../../core/words/why-group-skipped.ts';
import type { LogFields } from '../shared/world.ts';

/** Pods, and nodes that stay, that are named in a log line; the stored decision has them all. */
const NAMED = 10;

export interface Explanation {
  readonly message: string;
  readonly fields: LogFields;
}

/** Says in words what was decided and why: one log line, however many pods there are. */
export function explain(decision: Decision): Explanation {
  const { result, increases, pods, skippedGroups, daemonsLeftOut = [], considered, plan, predicted } = decision.scaleUp;
  const { unexpectedErrors = [] } = decision;
  const outcomes: Partial<Record<PodOutcomeKind, number>> = {};
  for (const { outcome } of pods) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  const { removals, unneeded, unremovable, result: scaleDown, message: held } = decision.scaleDown;
  const unschedulable = pods.filter((pod) => pod.outcome === 'Unschedulable');
  const parts = [
    counted(pendingPods(decision), 'pending pod'),
    ...(unexpectedErrors.length > 0 ? [counted(unexpectedErrors.length, 'unexpected error')] : []),
    increases.length > 0 ? `scale up ${increases.map(sizeChange).join(', ')}` : SCALE_UP_RESULTS[result].short,
    ...decision.registry.repairs.map(repairText),
    ...considered.map(choice),
    ...(predicted?.bought === true ? [`${predicted.nodes} of these nodes because the scheduler spreads pods`] : []),
    ...(unschedulable.length > 0 ? [`no group can hold ${counted(unschedulable.length, 'pod')}`] : []),
    ...(skippedGroups.length > 0 ? [`skipped ${skippedGroups.map(skippedText).join(', ')}`] : []),
    ...daemonsLeftOut
      .slice(0, NAMED)
      .map(({ daemonSet, group, reason }) => `planned ${group} without DaemonSet ${daemonSet} (${reason})`),
    ...(removals.length > 0 ? [`remove ${removals.map(removalWords).join(', ')}`] : []),
    ...(unneeded.length > removals.length
      ? [`${counted(unneeded.length - removals.length, 'more node')} unneeded${held === null ? '' : ` (${held})`}`]
      : []),
  ];
  return {
    message: parts.join('; '),
    fields: {
      result,
      outcomes,
      increases,
      considered: considered.map(({ winner, why, options }) => ({ winner, why, options })),
      plan,
      predicted,
      skippedGroups,
      ...(daemonsLeftOut.length > 0 && { daemonsLeftOut }),
      repairs: decision.registry.repairs,
      unschedulable: unschedulable.slice(0, NAMED).map(({ pod, reasons = [] }) => ({ pod, reasons })),
      scaleDown,
      removals: removals.map(({ node, group, kind, pods: moved }) => ({ node, group, kind, pods: moved.length })),
      unneeded: unneeded.length,
      unremovable: unremovable.slice(0, NAMED),
      clusterHealthy: decision.registry.clusterHealthy,
    },
  };
}

/** Pods that wait for a node: all that were looked at but those that fit or do not count. */
export const pendingPods = (decision: Decision): number =>
  decision.scaleUp.pods.filter(({ outcome }) => outcome !== 'Fits' && outcome !== 'Ignored').length;

const skippedText = (skipped: SkippedGroup): string => `${skipped.group} (${whyGroupSkipped(skipped)})`;

const sizeChange = ({ group, from, to }: Increase): string => `${group} ${from} → ${to}`;

const removalWords = ({ node, kind, pods }: Removal): string =>
  kind === 'empty' ? `${node} (empty)` : `${node} (${counted(pods.length, 'pod')} to move)`;

const choice = ({ winner, why, options }: Consideration): string =>
  `chose ${winner} of ${counted(options.length, 'group')}: ${why}`;
