import type { Evaluation, NodeCounts, ScaleDownDecision, ScaleUpResult } from '../model/decision.ts';
import type { ClusterName } from '../model/values/names.ts';
import { mapOptional } from '../model/values/optional.ts';
import type { EpochMs } from '../model/values/time.ts';
import { SCALE_DOWN_RESULTS, SCALE_UP_RESULTS } from '../words/outcomes.ts';
import { type NodeBudgetExplanation, knownNodeBudgets } from './node-budgets.ts';
import { type ActionItem, actionItems } from './action-items.ts';
import { type DisruptionExplanation, knownDisruptions } from './disruptions.ts';
import { type DrainExplanation, drainsUnderWay } from './drain.ts';
import { explainGroup, type GroupExplanation, knownGroups } from './group.ts';
import { knownNotices, knownShortages, type NoticeExplanation, type ShortageExplanation } from './notices.ts';
import { type HeadroomExplanation, knownHeadroom } from './headroom.ts';
import { type MonthToDate, monthToDate } from './month-to-date.ts';
import { knownPauses, type PauseExplanation } from './pauses.ts';
import { type UnneededNode, unneededNodes } from './node.ts';
import { type WaitingPods, waitingPods } from './pod.ts';
import { decidedAt, latestRegistry, type Mode, omittedFrom, type ClusterRecord } from './cluster-record.ts';

/** A cluster at a glance: the last decisions, and the work that Outrigger waits for. */
export interface ClusterStatus {
  readonly cluster: ClusterName;
  readonly mode: Mode;
  /** When it was asked. */
  readonly at: EpochMs;
  readonly scaleUp: PartStatus<ScaleUpResult>;
  readonly scaleDown: PartStatus<ScaleDownDecision['result']>;
  /** `null` before the first evaluation. */
  readonly healthy: boolean | null;
  readonly nodes: NodeCounts | null;
  /** The cost of the nodes this month; `null` where no price is known. */
  readonly cost: MonthToDate | null;
  readonly groups: readonly GroupExplanation[];
  readonly pods: readonly WaitingPods[];
  readonly unneeded: readonly UnneededNode[];
  readonly drains: readonly DrainExplanation[];
  /** Nodes that wait for their replacement, and disruptions that the latest decision has ended. */
  readonly disruptions: readonly DisruptionExplanation[];
  /** Headroom ahead of the pods that will need it. */
  readonly headroom: readonly HeadroomExplanation[];
  /** Disruption budgets that are in force. */
  readonly budgets: readonly NodeBudgetExplanation[];
  /** Notices of the cloud about instances. */
  readonly notices: readonly NoticeExplanation[];
  /** Instance types that are not launched in a zone for a while. */
  readonly shortages: readonly ShortageExplanation[];
  /** Pauses set by persons. */
  readonly pauses: readonly PauseExplanation[];
  readonly corrections: readonly ActionItem[];
  /** The parts that the latest decisions lack, as they were too large to be stored whole. */
  readonly omitted: readonly string[];
}

/** The status of one part of the evaluation. */
export interface PartStatus<Result> {
  /** `null` before the first evaluation that was stored. */
  readonly decidedAt: EpochMs | null;
  readonly result: Result | null;
  /** In words. */
  readonly meaning: string | null;
  /** More about it; `null` where there is no more to say. */
  readonly message: string | null;
  /** The last change that it has made. */
  readonly lastChange: EpochMs | null;
}

/** The status of a cluster, from what is stored of it. */
export function statusOf(record: ClusterRecord): ClusterStatus {
  const { cluster, mode, now, options, state, scaleUp, scaleDown } = record;
  const registry = latestRegistry(record);
  const up = scaleUp?.scaleUp.result ?? null;
  const down = scaleDown?.scaleDown.result ?? null;
  const at = (part: Evaluation): EpochMs | null => decidedAt(record, part);
  return {
    cluster,
    mode,
    at: now,
    scaleUp: {
      decidedAt: at('ScaleUp'),
      result: up,
      meaning: mapOptional(up, (result) => SCALE_UP_RESULTS[result].short),
      message: null,
      lastChange: state.lastScaleUp,
    },
    scaleDown: {
      decidedAt: at('ScaleDown'),
      result: down,
      meaning: mapOptional(down, (result) => SCALE_DOWN_RESULTS[result].short),
      message: scaleDown?.scaleDown.message ?? null,
      lastChange: state.lastScaleDownDelete,
    },
    healthy: registry?.clusterHealthy ?? null,
    nodes: registry?.totals ?? null,
    cost: monthToDate(state, options, now),
    groups: knownGroups(record).flatMap((group) => explainGroup(record, group) ?? []),
    pods: waitingPods(record),
    unneeded: unneededNodes(record),
    drains: drainsUnderWay(record),
    disruptions: knownDisruptions(record),
    headroom: knownHeadroom(record),
    budgets: knownNodeBudgets(record),
    notices: knownNotices(record),
    shortages: knownShortages(record),
    pauses: knownPauses(record),
    corrections: actionItems(record),
    omitted: omittedFrom(record),
  };
}
