import { itemAt } from '../model/values/existing.ts';
import { defaultOptions } from '../model/options.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import type { EpochMs } from '../model/values/time.ts';
import { type ClusterName, groupName, nodeName, type NodeName, type PodKey } from '../model/values/names.ts';
import type { HistoryDecision, HistoryKind } from '../ports/decision-history.ts';
import { disruptionText } from '../words/disruption.ts';
import { groupedReasonText } from '../words/pod-reasons.ts';
import { resizedByOthersText } from '../words/resized-by-others.ts';
import { explainGroup, type GroupExplanation } from './group.ts';
import { explainNode } from './node.ts';
import { explainPod } from './pod.ts';
import { growthText } from './sentences.ts';
import type { ClusterRecord } from './cluster-record.ts';

/** The subject of a history. */
export type HistorySubject =
  | { readonly kind: 'pod'; readonly name: PodKey }
  | { readonly kind: 'node' | 'group'; readonly name: string };

/** A time in which the decisions of one part of the evaluation said the same of a pod, a node or a node group. */
export interface SaidPeriod {
  readonly part: HistoryKind;
  readonly from: EpochMs;
  /** When a decision said something else, or nothing; `null`: none has yet. */
  readonly until: EpochMs | null;
  /** The statement in words, and its reasons, each reason once. */
  readonly what: string;
  readonly why: readonly string[];
  /** The decisions that said it, the earliest first. */
  readonly decisions: readonly string[];
}

/** The statement of one decision; `key` tells statements apart, whatever figures are in the words. */
interface Statement {
  readonly key: string;
  readonly what: string;
  readonly why: readonly string[];
}

/**
 * The statements of decisions about a pod, a node or a node group, the earliest first. The history keeps a decision if
 * it says something new, so a statement holds until the next decision of its part.
 */
export function timelineOf(
  cluster: ClusterName,
  decisions: readonly HistoryDecision[],
  subject: HistorySubject,
): readonly SaidPeriod[] {
  const periods: SaidPeriod[] = [];
  for (const same of Map.groupBy(decisions, ({ kind }) => kind).values()) {
    let last: { readonly key: string; readonly index: number } | null = null;
    for (const decision of same.toSorted((a, b) => a.at - b.at)) {
      const said = saidOf(recordAt(cluster, decision), subject);
      const { kind: part, at, id } = decision;
      if (last !== null && said?.key === last.key) {
        const period = itemAt(periods, last.index);
        periods[last.index] = { ...period, what: said.what, why: said.why, decisions: [...period.decisions, id] };
        continue;
      }
      if (last !== null) {
        periods[last.index] = { ...itemAt(periods, last.index), until: at };
      }
      last = null;
      if (said !== null) {
        last = { key: said.key, index: periods.length };
        periods.push({ part, from: at, until: null, what: said.what, why: said.why, decisions: [id] });
      }
    }
  }
  return periods.toSorted((a, b) => a.from - b.from);
}

/** A cluster as one decision has left it. */
const recordAt = (cluster: ClusterName, { id, at, kind, decision, settings }: HistoryDecision): ClusterRecord => ({
  cluster,
  mode: 'act',
  now: at,
  options: settings ?? defaultOptions(),
  version: Number(id),
  state: decision.state,
  intents: [],
  drains: [],
  scaleUp: kind === 'scale-down' ? null : decision,
  scaleDown: kind === 'scale-up' ? null : decision,
});

function saidOf(record: ClusterRecord, { kind, name }: HistorySubject): Statement | null {
  switch (kind) {
    case 'pod':
      return ofPod(record, name);
    case 'node':
      return ofNode(record, name);
    case 'group':
      return ofGroup(record, name);
  }
}

function ofPod(record: ClusterRecord, name: PodKey): Statement | null {
  const explained = explainPod(record, name);
  if (explained === null) {
    return null;
  }
  const { scaleUp, keeps, movesFrom } = explained;
  const moves = movesFrom.map(({ node, group }) => `Must move: node ${node} of node group ${group} is removed.`);
  const kept = keeps.map(({ node, why }) => `Keeps node ${node}: ${why}`);
  if (scaleUp === null) {
    const [what = '', ...why] = [...moves, ...kept];
    return { key: JSON.stringify([what, ...why]), what, why };
  }
  const { outcome, meaning, group } = scaleUp;
  const why = presentItems([
    mapOptional(group, (named) => `Node group ${named}${growthText(scaleUp)}`),
    ...scaleUp.reasons.map(groupedReasonText),
    ...moves,
    ...kept,
  ]);
  return { key: JSON.stringify([outcome, why]), what: `${outcome}: ${meaning}`, why };
}

function ofNode(record: ClusterRecord, name: string): Statement | null {
  const explained = mapOptional(record.scaleDown, () => explainNode(record, nodeName(name)));
  if (explained === null) {
    return null;
  }
  const { removal, unremovable, unneededSince, disruption } = explained;
  const replacement = presentItems([mapOptional(disruption, disruptionText)]);
  const replaced = disruption?.state ?? null;
  if (removal !== null) {
    const what = removal.kind === 'empty' ? 'Removed: it is empty.' : 'Removed: its pods fit elsewhere.';
    return { key: 'removed', what, why: removal.pods.map((pod) => `pod ${pod} moves`) };
  }
  const unneeded = unneededSince !== null;
  if (unremovable === null) {
    return unneeded
      ? { key: `unneeded ${replaced}`, what: 'Unneeded, and not removed yet.', why: replacement }
      : { key: `needed ${replaced}`, what: 'Stays.', why: replacement };
  }
  return {
    key: JSON.stringify([unremovable.reason, unremovable.pod, unremovable.podReason, unneeded, replaced]),
    what: `${unneeded ? 'Unneeded, and kept' : 'Kept'}: ${unremovable.why}`,
    why: presentItems([
      mapOptional(unremovable.pod, (pod) => `because of pod ${pod}`),
      unremovable.meaning,
      ...replacement,
    ]),
  };
}

function ofGroup(record: ClusterRecord, name: string): Statement | null {
  const explained = explainGroup(record, groupName(name));
  if (explained === null) {
    return null;
  }
  const { skipped, repairs, backoff, resizedByOthers } = explained;
  const removed = (record.scaleDown?.scaleDown.removals ?? [])
    .filter(({ group }) => group === name)
    .map(({ node }) => node);
  if (record.scaleUp === null && removed.length === 0) {
    // Scale-down alone: what it says of the size, scale-up says too.
    return null;
  }
  const why = presentItems([
    mapOptional(resizedByOthers, resizedByOthersText),
    mapOptional(skipped, (group) => `Cannot grow: ${group.why}`),
    mapOptional(backoff, (group) => `In backoff: ${group.why}`),
    ...repairs,
  ]);
  const what = sizeChangeText(explained, removed);
  return { key: JSON.stringify([what, why]), what, why };
}

function sizeChangeText({ increase, target }: GroupExplanation, removed: readonly NodeName[]): string {
  if (increase !== null) {
    return `Grows from ${increase.from} to ${increase.to}.`;
  }
  return removed.length > 0 ? `Loses ${removed.join(', ')}.` : `Has size ${target}.`;
}
