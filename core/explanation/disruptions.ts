import { firstItem } from '../model/values/existing.ts';
import type { CostBasis, Disruption, DisruptionReport } from '../model/disruption.ts';
import { byName, type GroupName, type NodeName } from '../model/values/names.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { valueOf } from '../model/values/records.ts';
import type { EpochMs } from '../model/values/time.ts';
import {
  DISRUPTION_STATES,
  type DisruptionSaid,
  WHY_DISRUPTED,
  WHY_DISRUPTION_CANCELLED,
} from '../words/disruption.ts';
import { adviceOf, sentencesOf } from '../words/words.ts';
import { whyNodeStaysInFull } from '../words/why-node-stays.ts';
import { type ClusterRecord, groupsOfNodes } from './cluster-record.ts';

/** A disruption that removes nodes once their replacement is ready, and its result at the latest decision. */
export interface DisruptionExplanation extends DisruptionSaid {
  /** Sorted. */
  readonly nodes: readonly NodeName[];
  /** The node groups of these nodes, sorted; empty where not recorded. */
  readonly groups: readonly GroupName[];
  /** Unit of `saving`. */
  readonly basis: CostBasis;
  readonly meaning: string;
  readonly advice: string | null;
}

/** The disruptions that wait, and those that the latest decision of scale-down has carried out or given up, by their first nodes. */
export function knownDisruptions(record: ClusterRecord): readonly DisruptionExplanation[] {
  const { state, scaleDown } = record;
  const waiting = state.disruptions ?? [];
  const waits = new Set(waiting.flatMap(({ nodes }) => nodes));
  const reports = scaleDown?.scaleDown.disruptions ?? [];
  const reportOf = ({ nodes, since }: Disruption): DisruptionReport | undefined =>
    reports.find((one) => one.since === since && isPending(one) && one.nodes.some((node) => nodes.includes(node)));
  const ended = reports
    .filter((one) => !isPending(one))
    // If a disruption's nodes are not removed all at once, the remaining nodes are among `waiting`.
    .map((one) => ({ ...one, nodes: one.nodes.filter((node) => !waits.has(node)) }))
    .filter(({ nodes }) => nodes.length > 0);
  return [
    ...waiting.map((one) => ({ ...one, state: 'Waiting' as const, ...reportOf(one), nodes: one.nodes })),
    ...ended,
  ]
    .toSorted((a, b) => byName(firstItem(a.nodes), firstItem(b.nodes)))
    .map((report) => explained(report, record));
}

const isPending = ({ state }: DisruptionReport): boolean => state === 'Waiting' || state === 'Held';

function explained(report: DisruptionReport, record: ClusterRecord): DisruptionExplanation {
  const { nodes, reason, state, cancelled = null, replacement, basis, saving, moves, since, deadline } = report;
  const words = presentItems([
    WHY_DISRUPTED[reason],
    DISRUPTION_STATES[state],
    cancelled && WHY_DISRUPTION_CANCELLED[cancelled],
  ]);
  return {
    nodes,
    groups: groupsOf(nodes, record),
    reason,
    state,
    cancelled,
    cause: report.cause ?? null,
    replacement,
    basis,
    saving,
    moves,
    since,
    deadline,
    message: report.message ?? (state === 'Held' ? heldBy(nodes, record) : null),
    leftAloneUntil: state === 'Cancelled' ? leftAloneUntil(nodes, record) : null,
    meaning: sentencesOf(words),
    advice: adviceOf(words),
  };
}

function groupsOf(nodes: readonly NodeName[], record: ClusterRecord): readonly GroupName[] {
  const groups = groupsOfNodes(record);
  return [...new Set(nodes.flatMap((node) => groups.get(node) ?? []))].toSorted(byName);
}

/** The limit or budget that holds nodes whose pods have their places, in the words about the nodes. */
function heldBy(nodes: readonly NodeName[], { scaleDown }: ClusterRecord): string | null {
  const stays = scaleDown?.scaleDown.unremovable.find(
    ({ node, reason }) => nodes.includes(node) && reason !== 'ReplacementPending',
  );
  return mapOptional(stays, whyNodeStaysInFull) ?? null;
}

function leftAloneUntil(nodes: readonly NodeName[], { state, now }: ClusterRecord): EpochMs | null {
  const last = Math.max(...nodes.map((node) => valueOf(state.unremovableUntil, node) ?? 0)) as EpochMs;
  return last > now ? last : null;
}

/** The disruption of a node. */
export const disruptionOfNode = (record: ClusterRecord, node: NodeName): DisruptionExplanation | null =>
  knownDisruptions(record).find(({ nodes }) => nodes.includes(node)) ?? null;

/** Disruptions that remove nodes of a group, or add a node to it. */
export const disruptionsOfGroup = (record: ClusterRecord, group: GroupName): readonly DisruptionExplanation[] =>
  knownDisruptions(record).filter(({ groups, replacement }) => replacement === group || groups.includes(group));
