import { randomUUID } from 'node:crypto';
import type { CallFailed, TerminateOutcome, WithdrawOutcome } from '@outrigger/core/model/answers.ts';
import type { InstanceId } from '@outrigger/core/model/values/names.ts';
import { err, type Result } from '@outrigger/core/model/values/result.ts';
import type { DurationMs, EpochMs } from '@outrigger/core/model/values/time.ts';
import { isRefusal } from '../../kubernetes/client/api-error.ts';
import { type Attempt, type AttemptStep, newAttempt, newWithdrawal, WITHDRAWN } from './attempt.ts';
import type { GroupAccess } from './group-access.ts';
import { type GroupNow, liveMachines, machineOf } from './group-now.ts';
import { claimChange, claimOf, markChange, releaseChange } from './marks.ts';
import { type MarkRules, nextStep } from './next-step.ts';
import { machineFailure, later, refusedChange, unconfirmed } from './outcomes.ts';
import { titleOf } from '../groups/group.ts';

interface TerminationSettings {
  readonly access: GroupAccess;
  readonly rules: MarkRules;
  readonly now: () => EpochMs;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Receives what an operator should know of a termination that has succeeded. */
  readonly warn: (message: string) => void;
}

/** Between two reads of the group while it is waited for. */
const POLL: DurationMs = 500 as DurationMs;

/** Conflicts and failed requests in one attempt. */
const MOST_CONFLICTS = 20;
const MOST_FAILURES = 3;

/**
 * Terminates the given Machine of a group, and no other. A second call, concurrent or after a crash anywhere in the
 * first, does no harm and finishes what the first has begun. Takes a few seconds, at most some thirty.
 *
 * @param decrement lower the size with it (`nextStep`); otherwise the Machine alone is deleted, and its controller makes
 *   another one.
 * @returns `gone` where it does not exist or is being deleted already; a failure of class `Timeout` or `Other` where it may
 *   yet be deleted.
 */
export function terminateMachine(
  settings: TerminationSettings,
  instance: InstanceId,
  decrement: boolean,
  signal?: AbortSignal,
): Promise<TerminateOutcome> {
  if (!decrement) {
    return replaceMachine(settings, instance, signal);
  }
  return runAttempt(settings, instance, newAttempt(randomUUID(), settings.now()), signal);
}

/**
 * Takes back what an attempt to terminate a Machine has left behind, wherever it has ended: the size, then claim and mark. A
 * Machine that is being deleted by then goes.
 *
 * @returns a failure of class `Timeout` or `Other` where the mark may still be there.
 */
export async function withdrawTermination(
  settings: TerminationSettings,
  instance: InstanceId,
  signal?: AbortSignal,
): Promise<WithdrawOutcome> {
  const outcome = await runAttempt(settings, instance, newWithdrawal(randomUUID(), settings.now()), signal);
  if (outcome.kind !== 'failed' || outcome === WITHDRAWN) {
    return { kind: 'withdrawn' };
  }
  return outcome;
}

/** Makes one step after another until the attempt has ended. */
async function runAttempt(
  settings: TerminationSettings,
  instance: InstanceId,
  attempt: Attempt,
  signal?: AbortSignal,
): Promise<TerminateOutcome> {
  let run: Run = { attempt, conflicts: 0, failures: 0 };
  for (;;) {
    const next = await advance(settings, instance, run, signal);
    if ('outcome' in next) {
      return next.outcome;
    }
    run = next.run;
    if (next.pause) {
      await settings.sleep(POLL, signal);
    }
  }
}

/** An attempt, and what has been in its way. */
interface Run {
  readonly attempt: Attempt;
  readonly conflicts: number;
  readonly failures: number;
}

type StepResult = { readonly outcome: TerminateOutcome } | { readonly run: Run; readonly pause: boolean };

/** Reads the group, and makes the next step. */
async function advance(
  settings: TerminationSettings,
  instance: InstanceId,
  run: Run,
  signal?: AbortSignal,
): Promise<StepResult> {
  const { access, rules, now } = settings;
  let { attempt } = run;
  let known = attempt;
  try {
    const readAt = now();
    const group = await readGroup(access, instance, signal);
    if (!group.ok) {
      return { outcome: attempt.claimed ? asUnconfirmed(group.error) : group.error };
    }
    const { value } = group;
    // A claim whose request has failed may have been made.
    known = { ...attempt, readAt, claimed: attempt.claimed || isClaimed(value, instance, attempt) };
    const step = nextStep({ group: value, attempt: known, rules, now: now() }, instance);
    if (step.kind === 'end') {
      warnOfOthers(settings, value, known, step.outcome);
      return { outcome: step.outcome };
    }
    attempt = { ...known, ...possibly(step) };
    const done = await perform(settings, step, attempt, signal);
    return { run: { ...run, attempt: { ...attempt, ...done } }, pause: step.kind === 'wait' };
  } catch (error) {
    const failure = machineFailure(error, signal);
    // A request that is refused has changed nothing.
    const after = { ...run, attempt: isCertain(failure) ? known : attempt };
    // After a conflict, the changed objects are read again, and a deleted Machine is found to be gone.
    if (isRefusal(error, 409) || isRefusal(error, 404)) {
      return afterConflict(after, failure);
    }
    return afterFailure(after, failure, now());
  }
}

function afterConflict(run: Run, failure: CallFailed): StepResult {
  const { attempt, conflicts } = run;
  if (conflicts < MOST_CONFLICTS) {
    return { run: { ...run, conflicts: conflicts + 1 }, pause: false };
  }
  return { outcome: attempt.claimed ? asUnconfirmed(failure) : later('Conflict', failure.message) };
}

function afterFailure(run: Run, failure: CallFailed, now: EpochMs): StepResult {
  const { attempt, failures } = run;
  if (!attempt.claimed || failures === MOST_FAILURES) {
    return { outcome: attempt.claimed ? asUnconfirmed(failure) : failure };
  }
  const takesBack = attempt.failure !== null || !isCertain(failure) || failure.class === 'Throttled';
  return {
    run: { ...run, failures: failures + 1, attempt: takesBack ? attempt : { ...attempt, failure, failedAt: now } },
    pause: true,
  };
}

function isClaimed(group: GroupNow, instance: InstanceId, { token }: Attempt): boolean {
  const machine = machineOf(group, instance);
  return machine !== null && claimOf(machine)?.token === token;
}

const GONE: TerminateOutcome = { kind: 'gone' };

/** After a claim nothing is certain before the group has been read again. */
const asUnconfirmed = (outcome: TerminateOutcome): TerminateOutcome =>
  outcome.kind === 'failed' ? unconfirmed(outcome.code, outcome.message) : outcome;

/** Failures of the classes `Timeout` and `Other` may hide a success. */
const isCertain = ({ class: kind }: CallFailed): boolean => kind !== 'Timeout' && kind !== 'Other';

/** The progress of a request that may have been carried out although its response was lost. */
function possibly(step: AttemptStep): Partial<Attempt> {
  if (step.kind === 'lower') {
    return { mayHaveLowered: true };
  }
  return step.kind === 'claim' ? { mayHaveLowered: step.from !== null } : {};
}

/** Makes one step, and returns the part of it that the attempt has to remember. */
async function perform(
  { access, rules, now }: TerminationSettings,
  step: Exclude<AttemptStep, { readonly kind: 'end' }>,
  { token }: Attempt,
  signal?: AbortSignal,
): Promise<Partial<Attempt>> {
  switch (step.kind) {
    case 'wait':
      return step.noted ?? {};
    case 'claim':
      await access.annotate(step.machine, claimChange({ from: step.from, at: now(), token }), signal);
      return { claimed: true };
    case 'mark':
      await access.annotate(step.machine, markChange(step.machine, step.claim, rules.keys, now()), signal);
      return { markedAt: now() };
    case 'lower':
      await access.scale(step.resource, step.to, signal);
      return { loweredAt: now(), before: step.before };
    case 'raise':
      await access.scale(step.resource, step.to, signal);
      return { raised: true };
    case 'delete':
      await access.deleteMachine(step.machine, signal);
      return {};
    case 'release':
      await access.annotate(step.machine, releaseChange(step.machine, rules.keys), signal);
      return {};
    case 'fail':
      return { failure: step.failure, failedAt: now() };
  }
}

/** Warns of other Machines that are deleted at the same time, for reasons of their own. */
function warnOfOthers(
  { warn }: TerminationSettings,
  group: GroupNow,
  { before }: Attempt,
  outcome: TerminateOutcome,
): void {
  const live = new Set(liveMachines(group).map(({ uid }) => uid));
  const gone = [...before].filter((uid) => !live.has(uid)).length;
  if (outcome.kind === 'terminated' && gone > 1) {
    warn(`${titleOf(group.resource)}: ${gone - 1} more Machine(s) were deleted while Outrigger terminated one`);
  }
}

/** The group, or the outcome without it. A MachinePool without Machines lets its infrastructure choose which instance ends. */
async function readGroup(
  access: GroupAccess,
  instance: InstanceId,
  signal: AbortSignal | undefined,
): Promise<Result<GroupNow, TerminateOutcome>> {
  const group = (await access.read(signal)) ?? err(GONE);
  if (!group.ok || !group.value.resource.providerIds.includes(instance)) {
    return group;
  }
  return err(
    refusedChange(
      'NoMachines',
      `${titleOf(group.value.resource)} has no Machine for ${instance}: with a lower size its infrastructure would choose ` +
        'which instance ends',
    ),
  );
}

async function replaceMachine(
  { access }: TerminationSettings,
  instance: InstanceId,
  signal?: AbortSignal,
): Promise<TerminateOutcome> {
  try {
    const group = await readGroup(access, instance, signal);
    if (!group.ok) {
      return group.error;
    }
    const { value } = group;
    const machine = machineOf(value, instance);
    if (machine === null || machine.deletedAt !== null) {
      return GONE;
    }
    if (value.paused !== null) {
      return refusedChange('Paused', `${value.paused}: no other Machine would be made`);
    }
    await access.deleteMachine(machine, signal);
    return { kind: 'terminated' };
  } catch (error) {
    const failure = machineFailure(error, signal);
    // Another Machine of the same name (409) is not the one that was to go.
    return isRefusal(error, 404) || isRefusal(error, 409) ? GONE : failure;
  }
}
