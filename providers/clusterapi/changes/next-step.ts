import type { CallFailed } from '@outrigger/core/model/answers.ts';
import type { InstanceId } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { Machine } from '../api/objects.ts';
import { type ApiKeys, OPENSHIFT_MACHINE_API } from '../api/resources.ts';
import {
  type Attempt,
  CLAIM_LIMIT,
  MARK_PAUSE,
  READ_LIMIT,
  type AttemptStep,
  TAKE_BACK_LIMIT,
  TAKE_BACK_PAUSE,
  VERIFY_LIMIT,
} from './attempt.ts';
import { goesFirst, type GroupNow, rollsOutNow, isSettled, liveMachines, machineOf } from './group-now.ts';
import { type Claim, claimOf, isMarked, isMarkedByOthers, isMarkedByOwn, isStale } from './marks.ts';
import { later, refusedChange, unconfirmed } from './outcomes.ts';
import { titleOf } from '../groups/group.ts';
import { idOfMachine } from '../groups/instances.ts';

/** The keys of a group's marks, and the API group that has them. */
export interface MarkRules {
  readonly apiGroup: string;
  readonly keys: ApiKeys;
}

/** An attempt to terminate a Machine of a group, and the present state of the group. */
interface AttemptNow {
  readonly group: GroupNow;
  readonly attempt: Attempt;
  readonly rules: MarkRules;
  readonly now: EpochMs;
}

/**
 * The next step of an attempt to terminate a Machine, from the present state of the management cluster. The state
 * includes the changes of an earlier attempt, wherever that attempt ended.
 *
 * 1. The Machine is claimed. Each attempt looks for other claims in the group after it has made its own, and goes on only
 *    where there are none.
 * 2. It is marked, with a note of the size, and the size lowered by one: only while no controller has a Machine to delete, so that the marked one is
 *    the only one too many; and on condition that the resource is still the one that was read.
 * 3. The MachineSet controller deletes the Machine. Where it has no reason to, since Machines are missing anyway, the
 *    Machine itself is deleted.
 * 4. Otherwise the size is raised again, also where no controller has a reason to delete a Machine for it, and when each MachineSet has
 *    its former size, claim and mark are removed. Never before: a controller with one Machine too many and none marked would choose one.
 */
export function nextStep(situation: AttemptNow, instance: InstanceId): AttemptStep {
  const { group, attempt, rules } = situation;
  const machine = machineOf(group, instance);
  if (machine === null || machine.deletedAt !== null) {
    return { kind: 'end', outcome: { kind: attempt.claimed ? 'terminated' : 'gone' } };
  }
  const claim = claimOf(machine);
  const own = claim?.token === attempt.token ? claim : null;
  if (attempt.failure !== null) {
    if (own !== null) {
      return takeBack(situation, machine, own, attempt.failure);
    }
    // An earlier attempt's claim is taken over first, as that attempt may still be at work.
    const takesOver = attempt.withdraws && !attempt.claimed && (claim !== null || isMarkedByOwn(machine, rules.keys));
    if (takesOver) {
      return { kind: 'claim', machine, from: claim?.from ?? null };
    }
    return { kind: 'end', outcome: attempt.failure };
  }
  if (own !== null) {
    return proceed(situation, machine, own);
  }
  if (attempt.claimed) {
    return giveUp(anotherAttempt(machine));
  }
  // An earlier attempt is finished or taken back, even if the Machine would not be terminated now.
  if (claim !== null) {
    return { kind: 'claim', machine, from: claim.from };
  }
  return begin(situation, machine);
}

const giveUp = (failure: CallFailed): AttemptStep => ({ kind: 'fail', failure });

const wait: AttemptStep = { kind: 'wait' };

const anotherAttempt = (machine: Machine): CallFailed =>
  later('AnotherTermination', `Machine ${idOfMachine(machine)} is being terminated by another attempt`);

const markLost = (machine: Machine): CallFailed =>
  later('MarkLost', `another client removes the deletion mark of Machine ${idOfMachine(machine)}`);

const sinceAtLeast = (since: EpochMs | null, length: number, now: EpochMs): boolean =>
  since !== null && now - since >= length;

/** Waits for the group to change, until the time for a claim is over. */
const waitFor = ({ attempt, now }: AttemptNow, failure: CallFailed): AttemptStep =>
  sinceAtLeast(attempt.startedAt, CLAIM_LIMIT, now) ? giveUp(failure) : wait;

/** Before a claim: nothing of the group is changed, except for what other attempts have left behind. */
function begin(situation: AttemptNow, machine: Machine): AttemptStep {
  const { group, rules, now } = situation;
  const refusal = refusalOf(group, machine, rules) ?? belowMinimum(group);
  if (refusal !== null) {
    return giveUp(refusal);
  }
  if (!isSettled(group)) {
    return waitFor(situation, unsettled(group));
  }
  const rivals = rivalsOf(group, machine, rules);
  const left = rivals.find((rival) => isLeftBehind(rival, now));
  if (left !== undefined) {
    return { kind: 'release', machine: left };
  }
  const [rival] = rivals;
  if (rival !== undefined) {
    return waitFor(situation, anotherAttempt(rival));
  }
  return { kind: 'claim', machine, from: null };
}

/** With a claim. */
function proceed(situation: AttemptNow, machine: Machine, claim: Claim): AttemptStep {
  const { group, attempt, rules, now } = situation;
  const refusal = refusalOf(group, machine, rules);
  if (refusal !== null) {
    return giveUp(refusal);
  }
  const { replicas } = group.resource;
  const marked = claim.from !== null;
  const rivals = rivalsOf(group, machine, rules);
  const [rival] = rivals;
  // Two have claimed at the same time. The first by name goes on when the others have withdrawn.
  if (rival !== undefined && (!marked || rivals.some((one) => isMarked(one, rules.keys)))) {
    const first = !rivals.some((one) => isMarked(one, rules.keys) || one.name < machine.name);
    return first ? waitFor(situation, anotherAttempt(rival)) : giveUp(anotherAttempt(rival));
  }
  // Another client may have written the Machine without the mark since. Without it any Machine would go.
  const isLost = !attempt.mayHaveLowered && !isMarked(machine, rules.keys);
  const isLate = sinceAtLeast(attempt.startedAt, CLAIM_LIMIT, now);
  if (isLost && marked && isLate) {
    return giveUp(markLost(machine));
  }
  if (claim.from === null || isLost) {
    return { kind: 'mark', machine, claim: { ...claim, from: claim.from ?? replicas } };
  }
  if (!isMarked(machine, rules.keys) && !isVerified(attempt)) {
    // Another client has written the Machine without the mark. With it missing, any Machine would go.
    return replicas >= claim.from && isLate ? giveUp(markLost(machine)) : { kind: 'mark', machine, claim };
  }
  if (isNoteStale(replicas, claim.from, attempt)) {
    return isLate ? giveUp(sizeChanged(group)) : { kind: 'mark', machine, claim: { ...claim, from: replicas } };
  }
  if (attempt.markedAt === null) {
    return { kind: 'wait', noted: { markedAt: now } };
  }
  if (!sinceAtLeast(attempt.markedAt, MARK_PAUSE, now)) {
    return wait;
  }
  return attempt.mayHaveLowered && replicas < claim.from ? verify(situation, machine) : lower(situation);
}

/**
 * Whether the size was changed by another client since it was noted. With the former note, one less than the present size
 * would not be known to have been lowered for this Machine: it would be lowered again.
 */
const isNoteStale = (replicas: number, from: number, { loweredAt, mayHaveLowered }: Attempt): boolean =>
  loweredAt === null && (mayHaveLowered ? replicas > from : replicas !== from);

function lower(situation: AttemptNow): AttemptStep {
  const { group, attempt, now } = situation;
  const { resource } = group;
  if (attempt.loweredAt !== null) {
    return giveUp(sizeChanged(group));
  }
  const refusal = belowMinimum(group);
  if (refusal !== null) {
    return giveUp(refusal);
  }
  if (!isSettled(group)) {
    return waitFor(situation, unsettled(group));
  }
  if (now - attempt.readAt > READ_LIMIT) {
    return waitFor(situation, slowRead(group, attempt, now));
  }
  return { kind: 'lower', resource, to: resource.replicas - 1, before: uidsOf(group) };
}

/** Whether the time for controllers to delete the Machine was over when the group was read, which may have taken long. */
const isVerified = ({ loweredAt, readAt }: Attempt): boolean => sinceAtLeast(loweredAt, VERIFY_LIMIT, readAt);

/** The size has been lowered, by this attempt or an earlier one. */
function verify({ group, attempt, rules: { apiGroup }, now }: AttemptNow, machine: Machine): AttemptStep {
  if (attempt.loweredAt === null) {
    return { kind: 'wait', noted: { loweredAt: now, before: uidsOf(group) } };
  }
  if (!isSettled(group)) {
    return isVerified(attempt) ? giveUp(notDeleted(group, machine)) : wait;
  }
  const live = uidsOf(group);
  const gone = [...attempt.before].filter((uid) => !live.has(uid));
  if (gone.length === 0) {
    return { kind: 'delete', machine };
  }
  const message =
    `${gone.length} other Machine(s) of ${titleOf(group.resource)} were deleted while ${idOfMachine(machine)} was marked ` +
    'for deletion';
  if (apiGroup === OPENSHIFT_MACHINE_API) {
    return giveUp(later('OtherMachineDeleted', message));
  }
  const advice = 'check that its controller knows the annotation, and who else deletes Machines';
  return giveUp(refusedChange('OtherMachineDeleted', `${message}; ${advice}`));
}

function takeBack(
  { group, attempt, now }: AttemptNow,
  machine: Machine,
  claim: Claim,
  failure: CallFailed,
): AttemptStep {
  const { resource } = group;
  if (!attempt.mayHaveLowered) {
    // Surplus Machines are then another client's doing.
    return { kind: 'release', machine };
  }
  // Any other size is another client's.
  const isLower = claim.from !== null && resource.replicas === claim.from - 1 && !attempt.raised;
  if (isSettled(group) && !(isLower && isInVain(group, attempt))) {
    if (attempt.settledAt === null) {
      return { kind: 'wait', noted: { settledAt: now } };
    }
    return sinceAtLeast(attempt.settledAt, TAKE_BACK_PAUSE, now) ? { kind: 'release', machine } : wait;
  }
  if (isLower) {
    return { kind: 'raise', resource, to: claim.from };
  }
  if (!sinceAtLeast(attempt.failedAt, TAKE_BACK_LIMIT, now)) {
    return { kind: 'wait', noted: { settledAt: null } };
  }
  return {
    kind: 'end',
    outcome: unconfirmed(
      failure.code,
      `${failure.message}; the mark remains until its MachineSet has its former size, as another Machine would be deleted`,
    ),
  };
}

/** Why no Machine of a group can be terminated by its size, or not this one; `null` where it can. */
function refusalOf(group: GroupNow, machine: Machine, { apiGroup, keys }: MarkRules): CallFailed | null {
  const { resource, paused } = group;
  if (paused !== null) {
    return refusedChange('Paused', `${paused}: its controller deletes no Machine`);
  }
  if (resource.deletedAt !== null) {
    return refusedChange('GroupGone', `${titleOf(resource)} is being deleted`);
  }
  if (rollsOutNow(group) && !goesFirst(group, machine)) {
    return refusedChange(
      'RollingOut',
      `${titleOf(resource)} is replacing its Machines: it chooses itself which to delete`,
    );
  }
  const others = liveMachines(group).filter((other) => other !== machine);
  const marked = others.find((other) => isMarkedByOthers(other, keys));
  if (marked !== undefined) {
    return refusedChange(
      'OtherMachineMarked',
      `Machine ${idOfMachine(marked)} of ${titleOf(resource)} is marked for deletion by another client and may be deleted ` +
        `instead; delete it, or remove its annotation ${keys.deleteMachine.join(' or ')}`,
    );
  }
  // machine.openshift.io ranks failed Machines like marked ones. Without a node nothing runs there.
  const failed = others.find((other) => other.failure !== null && other.nodeRef !== null);
  if (apiGroup === OPENSHIFT_MACHINE_API && failed !== undefined) {
    return refusedChange(
      'OtherMachineFailed',
      `Machine ${idOfMachine(failed)} of ${titleOf(resource)} has failed and may be deleted instead; delete it`,
    );
  }
  return null;
}

function belowMinimum({ resource, bounds }: GroupNow): CallFailed | null {
  const least = Math.max(bounds.min, 0);
  if (resource.replicas > least) {
    return null;
  }
  return refusedChange(
    'BelowMinSize',
    `${titleOf(resource)} has the size ${resource.replicas}, and its minimum is ${least}`,
  );
}

const unsettled = ({ resource }: GroupNow): CallFailed =>
  later('NotSettled', `${titleOf(resource)} has more Machines than its size: another Machine would be deleted as well`);

const sizeChanged = ({ resource }: GroupNow): CallFailed =>
  later('SizeChanged', `the size of ${titleOf(resource)} was changed by another client while a Machine was terminated`);

const slowRead = ({ resource }: GroupNow, { readAt }: Attempt, now: EpochMs): CallFailed =>
  later(
    'SlowRead',
    `${titleOf(resource)} was read for ${(now - readAt) / 1_000} s, and the deletion mark may have been removed meanwhile`,
  );

const notDeleted = ({ resource }: GroupNow, machine: Machine): CallFailed =>
  unconfirmed(
    'NotConfirmed',
    `the controller of ${titleOf(resource)} has not deleted Machine ${idOfMachine(machine)} within ` +
      `${VERIFY_LIMIT / 1_000} s; check that it is running`,
  );

/** Other live Machines with a claim or mark of an attempt. */
const rivalsOf = (group: GroupNow, machine: Machine, { keys }: MarkRules): readonly Machine[] =>
  liveMachines(group).filter((other) => other !== machine && (claimOf(other) !== null || isMarked(other, keys)));

/** The Machine's attempt is not at work any more. A mark without a claim has no attempt. */
function isLeftBehind(machine: Machine, now: EpochMs): boolean {
  const claim = claimOf(machine);
  return claim === null || isStale(claim, now);
}

/** Whether no Machine has gone since the size was lowered, as far as that is known: Machines were missing anyway. */
const isInVain = (group: GroupNow, { before }: Attempt): boolean => before.isSubsetOf(uidsOf(group));

const uidsOf = (group: GroupNow): ReadonlySet<string> => new Set(liveMachines(group).map(({ uid }) => uid));
