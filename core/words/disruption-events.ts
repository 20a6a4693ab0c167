import type { ClusterEvent } from '../model/cluster/cluster-event.ts';
import type { Node } from '../model/cluster/node.ts';
import type { Decision } from '../model/decision.ts';
import type { DisruptionReport } from '../model/disruption.ts';
import type { Scenario } from '../model/scenario.ts';
import type { NodeName } from '../model/values/names.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { valueOf } from '../model/values/records.ts';
import type { EpochMs } from '../model/values/time.ts';
import { disruptionText } from './disruption.ts';

type Change = Pick<ClusterEvent, 'reason' | 'message' | 'occurrence'>;

/**
 * The events on nodes that begin to wait for their replacement with a decision, and on those that are given up. What comes between
 * has none, and the removal has its own.
 */
export function disruptionEvents(
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
  { scaleDown: { disruptions = [] }, state }: Pick<Decision, 'scaleDown' | 'state'>,
): readonly ClusterEvent[] {
  const changes = new Map<NodeName, Change>();
  for (const report of disruptions) {
    for (const node of report.nodes) {
      const change = changeOf(report, valueOf(state.unremovableUntil, node) ?? null, now);
      if (change !== null) {
        changes.set(node, change);
      }
    }
  }
  if (changes.size === 0) {
    return [];
  }
  return presentItems(objects.nodes.map((node) => eventOf(node, changes)));
}

const eventOf = ({ name, uid }: Node, changes: ReadonlyMap<NodeName, Change>): ClusterEvent | undefined =>
  mapOptional(changes.get(name), (change) => ({ about: { kind: 'Node', name, uid }, type: 'Normal', ...change }));

function changeOf(report: DisruptionReport, leftAloneUntil: EpochMs | null, now: EpochMs): Change | null {
  const isGivenUp = report.state === 'Cancelled';
  if (!isGivenUp && (report.state !== 'Waiting' || report.since !== now)) {
    return null;
  }
  return {
    reason: isGivenUp ? 'DisruptionCancelled' : 'DisruptionLaunching',
    message: disruptionMessage(report, leftAloneUntil),
    occurrence: String(report.since),
  };
}

/** As `outrigger explain node` says it. */
export const disruptionMessage = (report: DisruptionReport, leftAloneUntil: EpochMs | null): string =>
  disruptionText({
    ...report,
    cancelled: report.cancelled ?? null,
    cause: report.cause ?? null,
    message: report.message ?? null,
    leftAloneUntil,
  });
