import type { DrainNotice, StoredDrain } from '../model/drain.ts';
import { type Intent, pendingRemovals } from '../model/intent.ts';
import { hasCloudAction } from '../model/cloud-action.ts';
import type { Notice, NoticeAnswer } from '../model/notice.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { GroupOptions } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import { type State, withoutDeletions } from '../model/state.ts';
import type { GroupName } from '../model/values/names.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';
import { mergedNotices } from './merged.ts';
import { isOver } from './over.ts';

/** A notice long before the end of an instance is answered this long before the end. */
export const EARLIEST_DRAIN = minutes(60);
/** A drain that was given up for a reason that may pass is tried again after this. */
const RETRY_AFTER = minutes(1);
/** The same for a node that is replaced ahead of time: nothing ends its instance meanwhile. */
const RETRY_REPLACEMENT_AFTER = minutes(10);
/** A node that was uncordoned again stays so: after this, no recommendation has one cordoned. */
const CORDON_WITHIN = minutes(10);

/** The options that notices are answered by. */
export type NoticeOptions = Pick<GroupOptions, 'spotInterruption' | 'scheduledChange' | 'rebalanceRecommendation'>;

/** The options of a node group. */
export type OfGroup = Pick<NodeGroup, 'name' | 'options' | 'cloudActions'>;

/**
 * The options that hold for a group. Where the cloud replaces instances at a rebalance recommendation, a replacement of Outrigger's
 * would be the second one for the same instance, with a second drain.
 */
export function optionsByGroup(
  options: NoticeOptions,
  groups: readonly OfGroup[],
): (group: GroupName) => NoticeOptions {
  const own = new Map(
    groups.map((group): [GroupName, Partial<NoticeOptions>] => [
      group.name,
      hasCloudAction(group, 'CapacityRebalance')
        ? { ...group.options, rebalanceRecommendation: 'ignore' }
        : group.options,
    ]),
  );
  return (group) => ({ ...options, ...own.get(group) });
}

/** The answers that the options name; any other value of an option ignores the notice. */
const ANSWERS: Readonly<Partial<Record<string, 'Drain' | 'Replace' | 'Cordon'>>> = {
  drain: 'Drain',
  replace: 'Replace',
  cordon: 'Cordon',
};

/** The answer to a notice about a node, by these options. */
export function answerTo(
  { kind, endsAt, hook }: Notice,
  { spotInterruption, scheduledChange, rebalanceRecommendation }: NoticeOptions,
  now: EpochMs,
): Exclude<NoticeAnswer, 'CompleteHook'> {
  switch (kind) {
    case 'SpotInterruption':
      return ANSWERS[spotInterruption] ?? 'Ignore';
    case 'ScheduledChange':
    case 'CapacityReservationEnd':
      if (scheduledChange === 'drain' && endsAt !== null && endsAt > addTime(now, EARLIEST_DRAIN)) {
        return 'DrainLater';
      }
      return ANSWERS[scheduledChange] ?? 'Ignore';
    case 'LifecycleHook':
      // The hook of another tool, which drains the node itself.
      return hook === null ? 'Plan' : 'Drain';
    case 'InstanceStopping':
      return 'Plan';
    case 'RebalanceRecommendation':
      return ANSWERS[rebalanceRecommendation] ?? 'Ignore';
  }
}

/** Is something to be done for it in the next evaluation? */
export function isPressing(notice: Notice, options: NoticeOptions, now: EpochMs): boolean {
  const answer = answerTo(notice, options, now);
  if (answer === 'Cordon') {
    return mayCordon(notice.receivedAt, now);
  }
  return answer !== 'Ignore' && answer !== 'DrainLater';
}

export const mayCordon = (receivedAt: EpochMs, now: EpochMs): boolean => addTime(receivedAt, CORDON_WITHIN) > now;

/** Stored facts about the removal of nodes. */
export interface Removals {
  readonly drains: readonly StoredDrain[];
  readonly intents: readonly Intent[];
}

/**
 * Notices that may still need an answer, one for each instance: without notices that are over, and without notices
 * whose drain goes on, has ended, or has been given up lately.
 *
 * @param removals without removals of instances that were started again since: their drains do not answer the present
 *   notices.
 */
export function openNotices(
  notices: readonly Notice[],
  { drains, intents }: Removals,
  now: EpochMs,
): readonly Notice[] {
  if (notices.length === 0) {
    return notices;
  }
  const byInstance = Map.groupBy(drains, ({ drain }) => drain.instance);
  const starting = pendingRemovals(intents).flatMap(({ nodes }) => nodes);
  const begun = Map.groupBy(starting, ({ instance }) => instance);
  const isSettled = (notice: Notice): boolean =>
    (begun.get(notice.instance) ?? []).some((one) => isAbout(one.notice, notice)) ||
    (byInstance.get(notice.instance) ?? []).some(
      ({ drain: { notice: known, outcome } }) =>
        (outcome?.kind === 'removed' && notice.hook === null) ||
        (isAbout(known, notice) && !(outcome?.kind === 'rolledBack' && addTime(outcome.at, retryAfter(notice)) <= now)),
    );
  return mergedNotices(notices).filter((notice) => !isOver(notice, now) && !isSettled(notice));
}

const retryAfter = ({ kind }: Notice) => (kind === 'RebalanceRecommendation' ? RETRY_REPLACEMENT_AFTER : RETRY_AFTER);

/**
 * Does the removal answer the notice? For a node that is replaced ahead of time, any removal does; for an instance that
 * the cloud ends, a removal that can be held up does not. A terminated instance may still wait for its lifecycle hook:
 * only a drain that completes the hook answers that.
 */
const isAbout = (known: DrainNotice | undefined, { kind, hook }: Notice): boolean =>
  kind === 'RebalanceRecommendation' ||
  (known !== undefined &&
    known.kind !== 'RebalanceRecommendation' &&
    (hook === null || known.hook?.token === hook.token));

/**
 * The state without the removals that a notice overtakes: a node that is being removed because it is not needed takes
 * its time, which the cloud does not leave. Its new drain takes over the markers of the one before. One whose instance ends
 * already is overtaken for a lifecycle hook alone, which that drain does not know of, and would leave to its timeout.
 *
 * @param open notices that are still to be answered.
 */
export function withoutOvertaken(
  state: State,
  open: readonly Notice[],
  drains: readonly StoredDrain[],
  { options, nodeGroups, now }: Pick<Scenario, 'options' | 'nodeGroups' | 'now'>,
): State {
  const of = optionsByGroup(options, nodeGroups);
  const ending = new Map(
    open
      .filter((notice) => answerTo(notice, of(notice.group), now) === 'Drain')
      .map(({ instance, hook }) => [instance, hook] as const),
  );
  const overtaken = drains
    .map(({ drain }) => drain)
    .filter(
      ({ instance, terminateAskedAt }) =>
        ending.has(instance) && (terminateAskedAt === null || ending.get(instance) !== null),
    )
    .map(({ node }) => node);
  return withoutDeletions(state, new Set(overtaken));
}
