import { present } from '../model/values/present.ts';
import { type Disruption, disruptionName, type DisruptionReport } from '../model/disruption.ts';
import { readable } from '../model/fault.ts';
import type { NodeName } from '../model/values/names.ts';
import type { Scenario } from '../model/scenario.ts';
import { sortedBy } from '../model/values/sorted.ts';
import { addTime, type DurationMs, durationMs, type EpochMs } from '../model/values/time.ts';
import { causeIn, type DisruptionProgress } from './advance-disruptions.ts';
import type { Proposals } from './proposal-context.ts';

/** The disruptions after an evaluation. */
export interface DisruptionOutcome {
  /** Disruptions that wait on or begin to wait, to be stored. */
  readonly waiting: readonly Disruption[];
  /** When the nodes of disruptions that were given up may be tried again. */
  readonly retryAt: ReadonlyMap<NodeName, EpochMs>;
  readonly reports: readonly DisruptionReport[];
}

/** @param removed of all nodes, unneeded or not, those that are removed now. */
export function disruptionOutcome(
  scenario: Scenario,
  progress: readonly DisruptionProgress[],
  { disruptions, reports: ofNodes }: Proposals,
  removed: ReadonlySet<NodeName>,
): DisruptionOutcome {
  const { now, options } = scenario;
  const causeOf = (disruption: Disruption): string | null => readable(() => causeIn(disruption, scenario), null);
  const reports: DisruptionReport[] = [
    ...[...removed].flatMap((node) => ofNodes.get(node) ?? []),
    ...disruptions.map((disruption) => ({
      state: 'Waiting' as const,
      ...present({ cause: causeOf(disruption) }),
      ...disruption,
    })),
  ];
  const waiting: Disruption[] = disruptions.map(storedFieldsOf);
  const retryAt = new Map<NodeName, EpochMs>();
  for (const one of progress) {
    const { disruption } = one;
    const cause = causeOf(disruption);
    if (one.state === 'Cancelled') {
      const { state, cancelled, message } = one;
      reports.push({ ...disruption, state, cancelled, ...present({ cause, message }) });
      const again = notBefore(one, now, options.unremovableNodeRecheckTimeout);
      if (again > now) {
        disruption.nodes.forEach((node) => retryAt.set(node, again));
      }
      continue;
    }
    const nodes = disruption.nodes.filter((node) => !removed.has(node));
    if (nodes.length > 0) {
      waiting.push({ ...disruption, nodes });
    }
    const isHeld = one.state === 'Ready' && nodes.length === disruption.nodes.length;
    const { deferred, message } = one.state === 'Ready' ? { deferred: undefined, message: null } : one;
    reports.push({ ...disruption, state: isHeld ? 'Held' : one.state, ...present({ deferred, cause, message }) });
  }
  return { waiting: sortedBy(waiting, disruptionName), retryAt, reports: sortedBy(reports, disruptionName) };
}

/** The fields of a disruption that are stored. */
const storedFieldsOf = ({
  nodes,
  reason,
  replacement,
  maxCost,
  basis,
  saving,
  moves,
  since,
  deadline,
}: Disruption): Disruption => ({ nodes, reason, replacement, maxCost, basis, saving, moves, since, deadline });

/** A node that waited in vain is left alone for as long again. */
function notBefore(
  { cancelled, disruption }: Extract<DisruptionProgress, { readonly state: 'Cancelled' }>,
  now: EpochMs,
  recheck: DurationMs,
): EpochMs {
  switch (cancelled) {
    case 'DeadlineExceeded':
    case 'ReplacementFailed':
      return addTime(now, durationMs(Math.max(recheck, now - disruption.since)));
    case 'Unremovable':
      return addTime(now, recheck);
    case 'NodeGone':
    case 'ReasonGone':
    case 'TurnedOff':
    case 'ZonalShift':
    case 'Paused':
    case 'BudgetZero':
      return now;
  }
}
