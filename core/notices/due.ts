import type { DrainNotice, StoredDrain } from '../model/drain.ts';
import type { Intent } from '../model/intent.ts';
import type { Notice, NoticeKind, TerminationHook } from '../model/notice.ts';
import type { Options } from '../model/options.ts';
import type { State } from '../model/state.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';

/** What the cloud announces long before is answered this long before its time. */
export const EARLIEST_DRAIN = minutes(60);
/** A drain that was given up for a reason that may pass is tried again after this. */
const RETRY_AFTER = minutes(1);
/** How long an instance that is being stopped may still be in the lists of the cloud and the cluster. */
const STOPPING_FOR = minutes(10);
/** Where the cloud does not say when it ends an instance, it has done so by then. */
const LONGEST_NOTICE = minutes(24 * 60);

/** Has the instance been ended by now, so that the notice is about nothing any more? */
export function isOver({ kind, receivedAt, endsAt, hook }: Notice, now: EpochMs): boolean {
  if (kind === 'InstanceStopping') {
    return addTime(receivedAt, STOPPING_FOR) <= now;
  }
  const until = endsAt ?? addTime(receivedAt, LONGEST_NOTICE);
  return Math.min(until, hook?.heartbeatUntil ?? until) <= now;
}

/** Does this deployment answer such a notice by now? */
export function isAnswered(
  { kind, endsAt }: Notice,
  { spotInterruption, scheduledChange }: Options,
  now: EpochMs,
): boolean {
  switch (kind) {
    case 'SpotInterruption':
      return spotInterruption === 'drain';
    case 'ScheduledChange':
    case 'CapacityReservationEnd':
      return scheduledChange === 'drain' && (endsAt === null || endsAt <= addTime(now, EARLIEST_DRAIN));
    case 'LifecycleHook':
    case 'InstanceStopping':
      return true;
    case 'RebalanceRecommendation':
      return false;
  }
}

/**
 * Is the node drained for it? Not where the instance is stopping already, and not for the lifecycle hook of another tool,
 * which drains the node itself: their pods are only planned for.
 */
export const mayBeDrained = (kind: NoticeKind, hook: TerminationHook | null): boolean =>
  kind !== 'InstanceStopping' && (kind !== 'LifecycleHook' || hook !== null);

/** What is stored about the removal of nodes. */
interface Removals {
  readonly drains: readonly StoredDrain[];
  readonly intents: readonly Intent[];
}

/**
 * Notices about which something is still to be done: not those that are over, nor those whose drain goes on, has ended,
 * or has been given up lately.
 */
export function openNotices(
  notices: readonly Notice[],
  { drains, intents }: Removals,
  options: Options,
  now: EpochMs,
): readonly Notice[] {
  if (notices.length === 0) {
    return notices;
  }
  const byInstance = Map.groupBy(drains, ({ drain }) => drain.instance);
  const starting = intents.flatMap((intent) =>
    intent.kind === 'RemoveNodes' && intent.status === 'pending' ? intent.nodes : [],
  );
  const begun = Map.groupBy(starting, ({ instance }) => instance);
  const isSettled = ({ instance, hook }: Notice): boolean =>
    (begun.get(instance) ?? []).some(({ notice }) => isAbout(notice, hook)) ||
    (byInstance.get(instance) ?? []).some(
      ({ drain: { notice, outcome } }) =>
        (outcome?.kind === 'removed' && hook === null) ||
        (isAbout(notice, hook) && !(outcome?.kind === 'rolledBack' && addTime(outcome.at, RETRY_AFTER) <= now)),
    );
  return notices.filter((notice) => !isOver(notice, now) && isAnswered(notice, options, now) && !isSettled(notice));
}

/** An instance that has been ended may still wait for its lifecycle hook: that needs a drain that completes it. */
const isAbout = (known: DrainNotice | undefined, hook: Notice['hook']): boolean =>
  known !== undefined && (hook === null || known.hook?.token === hook.token);

/**
 * The state without the removals that a notice overtakes: a node that is being removed because it is not needed takes
 * its time, which the cloud does not leave. Its new drain takes over the markers of the one before.
 *
 * @param open notices that are still to be answered.
 */
export function withoutOvertaken(state: State, open: readonly Notice[], drains: readonly StoredDrain[]): State {
  const ending = new Set(open.flatMap(({ kind, hook, instance }) => (mayBeDrained(kind, hook) ? instance : [])));
  const overtaken = new Set(
    drains.flatMap(({ drain: { node, instance, terminateAskedAt } }) =>
      ending.has(instance) && terminateAskedAt === null ? node : [],
    ),
  );
  return overtaken.size === 0
    ? state
    : { ...state, deletionsInProgress: state.deletionsInProgress.filter(({ node }) => !overtaken.has(node)) };
}
