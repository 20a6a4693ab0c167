import type { GroupName } from '../model/values/names.ts';
import type { Intent } from '../model/intent.ts';
import type { EpochMs } from '../model/values/time.ts';
import { firstOfEachLane, isForNotices, type Lane, laneOf } from './intent-order.ts';

/** Lanes that are worked on at the same time. */
const PARALLEL_LANES = 8;
/** The smallest number of these that is kept for groups that are to grow, and for notices. */
const RESERVED_LANES = 4;

/** An intent to take up, and whether pods or the end of an instance do not wait. */
interface NextIntent {
  readonly intent: Intent;
  readonly urgent: boolean;
}

/** How far one run over the intents of a cluster has come. */
export interface RunProgress {
  /** The lanes that are being worked on, and whether that is urgent. */
  readonly inHand: ReadonlyMap<Lane, boolean>;
  /** Lanes with an intent that another run has claimed, or that cannot be finished now: left to other runs. */
  readonly blocked: ReadonlySet<Lane>;
  /** Ids of the intents that this run has taken up and is done with. */
  readonly ended: ReadonlySet<string>;
}

/**
 * The intents to take up now, urgent ones first. Instances are terminated one by one: however many groups are being
 * repaired, groups that are to grow have their turn.
 *
 * @param intents as they were loaded.
 */
export function nextIntents(
  intents: readonly Intent[],
  { inHand, blocked, ended }: RunProgress,
  now: EpochMs,
): readonly NextIntent[] {
  const open = intents.filter(
    (intent) => intent.status === 'pending' && !ended.has(intent.id) && !blocked.has(laneOf(intent)),
  );
  const next = firstOfEachLane(open, now)
    .filter((intent) => !inHand.has(laneOf(intent)))
    .map((intent) => ({ intent, urgent: isUrgent(intent, open) }));
  const [urgent, patient] = [next.filter((one) => one.urgent), next.filter((one) => !one.urgent)];
  const taken = urgent.slice(0, Math.max(0, PARALLEL_LANES - inHand.size));
  const places = Math.min(
    PARALLEL_LANES - inHand.size - taken.length,
    PARALLEL_LANES - RESERVED_LANES - [...inHand.values()].filter((urgent) => !urgent).length,
  );
  return [...taken, ...patient.slice(0, Math.max(0, places))];
}

/**
 * Is a run over? Not before the intents have been loaded once after the last one ended: a run that was started for a later
 * intent of that lane has found it claimed, and has left both to this run.
 *
 * @param seen number of intents that the run had ended when they were loaded.
 */
export const isRunOver = ({ inHand, ended }: RunProgress, seen: number): boolean =>
  inHand.size === 0 && seen === ended.size;

/** Pods wait for increases, and so for the sizes that have to be set before them; the cloud waits for no drain. */
const isUrgent = (intent: Intent, open: readonly Intent[]): boolean =>
  isForNotices(intent) ||
  (intent.kind === 'SetSize' &&
    open.some((one) => one.group === intent.group && one.kind === 'SetSize' && one.to > one.from));

/** Is the group's size being set: does an intent to set the size have a claim that has not ended? */
export const isSizeBeingSet = (intents: readonly Intent[], group: GroupName, now: EpochMs): boolean =>
  intents.some((one) => one.kind === 'SetSize' && one.group === group && (one.claimedUntil ?? 0) > now);
