import type { GroupName } from '../model/values/names.ts';
import type { Intent } from '../model/intent.ts';
import type { EpochMs } from '../model/values/time.ts';
import { firstOfEachGroup } from './intent-order.ts';

/** Groups that are worked on at the same time. */
const PARALLEL_GROUPS = 8;
/** The smallest number of these that is kept for groups that are to grow. */
const RESERVED_GROUPS = 4;

/** An intent to take up, and whether pods wait for what it does. */
export interface NextIntent {
  readonly intent: Intent;
  readonly urgent: boolean;
}

/** How far one run over the intents of a cluster has come. */
export interface RunProgress {
  /** The groups that are being worked on, and whether pods wait for that. */
  readonly inHand: ReadonlyMap<GroupName, boolean>;
  /** Groups with an intent that another run has claimed, or that cannot be finished now: left to other runs. */
  readonly blocked: ReadonlySet<GroupName>;
  /** Ids of the intents that this run has taken up and is done with. */
  readonly ended: ReadonlySet<string>;
}

/**
 * The intents to take up now, urgent ones first. Instances are ended one by one: however many groups are being repaired,
 * there is a place for those that are to grow.
 *
 * @param intents as they were loaded.
 */
export function nextIntents(
  intents: readonly Intent[],
  { inHand, blocked, ended }: RunProgress,
  now: EpochMs,
): readonly NextIntent[] {
  const open = intents.filter(({ id, group, status }) => status === 'pending' && !ended.has(id) && !blocked.has(group));
  const next = firstOfEachGroup(open, now)
    .filter(({ group }) => !inHand.has(group))
    .map((intent) => ({ intent, urgent: isUrgent(intent, open) }));
  const [urgent, patient] = [next.filter((one) => one.urgent), next.filter((one) => !one.urgent)];
  const taken = urgent.slice(0, Math.max(0, PARALLEL_GROUPS - inHand.size));
  const places = Math.min(
    PARALLEL_GROUPS - inHand.size - taken.length,
    PARALLEL_GROUPS - RESERVED_GROUPS - [...inHand.values()].filter((waitedFor) => !waitedFor).length,
  );
  return [...taken, ...patient.slice(0, Math.max(0, places))];
}

/**
 * Is a run over? Not before the intents have been loaded once after the last one ended: a run that was started for a later
 * intent of that group has found it claimed, and has left both to this run.
 *
 * @param seen number of intents that the run had ended when they were loaded.
 */
export const isRunOver = ({ inHand, ended }: RunProgress, seen: number): boolean =>
  inHand.size === 0 && seen === ended.size;

/** Pods wait for increases, and so for the sizes that have to be set before them. */
function isUrgent(intent: Intent, open: readonly Intent[]): boolean {
  return (
    intent.kind === 'SetSize' &&
    open.some((one) => one.group === intent.group && one.kind === 'SetSize' && one.to > one.from)
  );
}

/** Is the group's size being set: is there an intent for it whose claim has not ended? */
export const isSizeBeingSet = (intents: readonly Intent[], group: GroupName, now: EpochMs): boolean =>
  intents.some((one) => one.kind === 'SetSize' && one.group === group && (one.claimedUntil ?? 0) > now);
