import {
  type Decision,
  type GroupReport,
  NO_NODES,
  type NodeCounts,
  type RecordedTemplate,
  type SkipReason,
  type UnbalancedGroup,
} from '../model/decision.ts';
import { CLOUD_ACTIONS, type CloudAction } from '../model/cloud-action.ts';
import type { ScheduledMinimum } from '../model/capacity-schedule.ts';
import type { FailureClass, ResizedByOthers } from '../model/node-group.ts';
import { shiftsInForce, type ZonalShift } from '../model/zonal-shift.ts';
import type { IncorrectSize } from '../model/state.ts';
import type { LearnedTime } from '../model/unneeded-time.ts';
import { byName, type GroupName, type NodeName } from '../model/values/names.ts';
import { mapOptional } from '../model/values/optional.ts';
import { valueOf } from '../model/values/records.ts';
import type { EpochMs } from '../model/values/time.ts';
import { explainIntent } from '../words/intents.ts';
import { repairText } from '../words/repairs.ts';
import { WHY_GROUP_SKIPPED, whyGroupSkipped } from '../words/why-group-skipped.ts';
import { WHY_LAUNCH_FAILED, whyLaunchFailed } from '../words/why-launch-failed.ts';
import { knownNodeBudgets } from './node-budgets.ts';
import { type DisruptionExplanation, disruptionsOfGroup } from './disruptions.ts';
import { type HeadroomExplanation, headroomOfGroup } from './headroom.ts';
import { knownNotices, knownShortages, type NoticeExplanation, type ShortageExplanation } from './notices.ts';
import { decidedAt, latestRegistry, recordedOf, type ClusterRecord } from './cluster-record.ts';

/** The explanation of a node group. */
export interface GroupExplanation {
  readonly group: GroupName;
  readonly decidedAt: EpochMs | null;
  /** `null` where not recorded. */
  readonly min: number | null;
  readonly max: number | null;
  readonly target: number;
  /** Nodes on their way, before the latest decision. */
  readonly upcoming: number;
  readonly healthy: boolean;
  readonly nodes: NodeCounts;
  readonly incorrectSize: IncorrectSize | null;
  /** Actions of the cloud itself on the group's nodes, as far as one of the latest decisions knew of them. */
  readonly warnings: readonly CloudAction[];
  /** `null` where the group has the size that was set last, as far as is known. */
  readonly resizedByOthers: ResizedByOthers | null;
  /** The minimum of the capacity schedules in force; `null` where none is in force. */
  readonly scheduledMinimum: ScheduledMinimum | null;
  /** Zones that traffic is shifted away from: no node of it is launched or removed there. */
  readonly zonalShifts: readonly ZonalShift[];
  /** The headroom of the group's capacity schedule, and headroom that the group cannot hold. */
  readonly headroom: readonly HeadroomExplanation[];
  /** A new node of the group; `null` where it is unknown: `skipped` says why. */
  readonly template: RecordedTemplate | null;
  readonly backoff: GroupBackoff | null;
  /** Why it could not grow at the latest decision; `null` where it could, as far as a pod has asked. */
  readonly skipped: GroupSkipped | null;
  /** The group's increase in the latest decision of scale-up; `null`: none. */
  readonly increase: { readonly from: number; readonly to: number } | null;
  /** Repairs of the group that are under way, in words. */
  readonly repairs: readonly string[];
  /** Decided changes that are not carried out yet, in words. */
  readonly pending: readonly string[];
  /** The scale-up whose nodes are awaited; `null` where there is none. */
  readonly request: { readonly increase: number; readonly since: EpochMs; readonly expectedBy: EpochMs } | null;
  readonly lastScaleUp: EpochMs | null;
  readonly lastScaleDown: EpochMs | null;
  readonly lastScaleDownFailure: EpochMs | null;
  /** The unneeded time that `scaleDownUnneededTime: auto` has learned; `null` where there is none. */
  readonly unneededTime: LearnedTime | null;
  /** Groups that its new nodes are balanced over, as far as the latest decision has considered it. */
  readonly similarGroups: readonly GroupName[];
  /** Groups that the latest decision has not balanced its new nodes over, though these are similar or nearly so. */
  readonly unbalanced: readonly UnbalancedGroup[];
  /** The disruption budgets in force that are about its nodes, in words: its own, and the cluster's. */
  readonly budgets: readonly string[];
  /** Disruptions of the group's nodes, and disruptions whose replacement is launched in the group. */
  readonly disruptions: readonly DisruptionExplanation[];
  /** Notices about the group's instances. */
  readonly notices: readonly NoticeExplanation[];
  /** Shortages of the group's instance type: zones in which it is not launched for a while. */
  readonly shortages: readonly ShortageExplanation[];
  /** `null` where not recorded. */
  readonly members: readonly NodeName[] | null;
}

interface GroupBackoff {
  readonly class: FailureClass;
  readonly until: EpochMs;
  readonly lastFailure: EpochMs;
  /** The class in short, and in sentences with what to do. */
  readonly why: string;
  readonly meaning: string;
}

interface GroupSkipped {
  readonly reason: SkipReason;
  readonly why: string;
  readonly meaning: string;
  readonly advice: string | null;
}

/** The node groups that something is known of, by name. */
export const knownGroups = (record: ClusterRecord): readonly GroupName[] =>
  [
    ...new Set([
      ...Object.keys(latestRegistry(record)?.groups ?? {}),
      ...(record.scaleUp?.scaleUp.skippedGroups ?? []).map(({ group }) => group),
    ] as GroupName[]),
  ].toSorted(byName);

/** @returns `null` where nothing is known of a node group of this name. */
export function explainGroup(record: ClusterRecord, group: GroupName): GroupExplanation | null {
  const report = valueOf(latestRegistry(record)?.groups ?? {}, group);
  const skipped = skippedOf(record, group);
  if (report === undefined && skipped === null) {
    return null;
  }
  const { state, scaleUp } = record;
  const { min = null, max = null, template = null, nodes: members = null } = recordedOf(record, group);
  const times = valueOf(state.groups, group);
  const increase = scaleUp?.scaleUp.increases.find((one) => one.group === group);
  return {
    group,
    decidedAt: decidedAt(record, 'ScaleUp'),
    min,
    max,
    ...sizesOf(report),
    warnings: cloudActionsOf(record, group),
    zonalShifts: shiftsInForce(report?.zonalShifts ?? [], record.now),
    upcoming: valueOf(scaleUp?.scaleUp.upcoming ?? {}, group) ?? 0,
    headroom: headroomOfGroup(record, group),
    template,
    backoff: backoffOf(record, group),
    skipped,
    increase: mapOptional(increase, ({ from, to }) => ({ from, to })) ?? null,
    repairs: [...new Set((scaleUp?.registry.repairs ?? []).filter((repair) => repair.group === group).map(repairText))],
    pending: record.intents
      .filter((intent) => intent.group === group && intent.status === 'pending')
      .map((intent) => explainIntent(intent).phrase),
    request: requestOf(record, group),
    lastScaleUp: times?.lastScaleUp ?? null,
    lastScaleDown: times?.lastScaleDownDelete ?? null,
    lastScaleDownFailure: times?.lastScaleDownFailure ?? null,
    unneededTime: state.unneededTimes?.find((one) => one.group === group) ?? null,
    similarGroups: similarTo(scaleUp, group),
    unbalanced: unbalancedWith(scaleUp, group),
    budgets: knownNodeBudgets(record)
      .filter((one) => one.group === group || one.group === null)
      .map((one) => `${one.group === null ? 'cluster' : 'node group'}: ${one.text}`),
    disruptions: disruptionsOfGroup(record, group),
    notices: knownNotices(record).filter((notice) => notice.group === group),
    shortages: knownShortages(record).filter(({ type }) => type === template?.instanceType),
    members,
  };
}

/** Some are asked for only by evaluations of scale-down, and not at each of these. */
function cloudActionsOf({ scaleUp, scaleDown }: ClusterRecord, group: GroupName): readonly CloudAction[] {
  const known = new Set(
    [scaleUp, scaleDown].flatMap((one) => valueOf(one?.registry.groups ?? {}, group)?.warnings ?? []),
  );
  return CLOUD_ACTIONS.filter((action) => known.has(action));
}

function sizesOf(report: GroupReport | undefined) {
  const {
    target = 0,
    healthy = false,
    incorrectSize = null,
    resizedByOthers = null,
    scheduledMinimum = null,
    ...counts
  } = report ?? {};
  const nodes = Object.fromEntries(
    Object.keys(NO_NODES).map((of) => [of, (counts as Partial<NodeCounts>)[of as keyof NodeCounts] ?? 0]),
  ) as unknown as NodeCounts;
  return { target, healthy, nodes, incorrectSize, resizedByOthers, scheduledMinimum };
}

function backoffOf({ state, now }: ClusterRecord, group: GroupName): GroupBackoff | null {
  const backoff = valueOf(state.backoff, group);
  if (backoff === undefined || backoff.until <= now) {
    return null;
  }
  const { class: failure, until, lastFailure } = backoff;
  return {
    class: failure,
    until,
    lastFailure,
    why: WHY_LAUNCH_FAILED[failure].short,
    meaning: whyLaunchFailed(failure),
  };
}

/** Groups are looked at only for pods: otherwise a reason that holds whatever pods there are. */
function skippedOf(record: ClusterRecord, group: GroupName): GroupSkipped | null {
  const { cannotGrow } = recordedOf(record, group);
  const ofPods = record.scaleUp?.scaleUp.skippedGroups.find((one) => one.group === group);
  return (
    mapOptional(ofPods ?? cannotGrow, (skipped) => {
      const { sentence, advice } = WHY_GROUP_SKIPPED[skipped.reason];
      return { reason: skipped.reason, why: whyGroupSkipped(skipped), meaning: sentence, advice };
    }) ?? null
  );
}

function requestOf({ state }: ClusterRecord, group: GroupName): GroupExplanation['request'] {
  const request = state.scaleUpRequests.find((one) => one.group === group);
  return (
    mapOptional(request, ({ increase, time, expectedAddTime }) => ({
      increase,
      since: time,
      expectedBy: expectedAddTime,
    })) ?? null
  );
}

/** Each unbalanced group once, with the first reason. */
const unbalancedWith = (scaleUp: Decision | null, group: GroupName): readonly UnbalancedGroup[] =>
  [
    ...Map.groupBy(
      (scaleUp?.scaleUp.considered ?? [])
        .filter(({ winner, split }) => winner === group || split.some((one) => one.group === group))
        .flatMap(({ unbalanced = [] }) => unbalanced.filter((one) => one.group !== group)),
      (one) => one.group,
    ).values(),
  ].flatMap(([first]) => first ?? []);

const similarTo = (scaleUp: Decision | null, group: GroupName): readonly GroupName[] =>
  [
    ...new Set(
      (scaleUp?.scaleUp.considered ?? []).flatMap(({ options }) =>
        options.filter((option) => option.group === group).flatMap(({ similarGroups }) => similarGroups),
      ),
    ),
  ].toSorted(byName);
