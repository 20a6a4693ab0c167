import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { type AdvancedDrain, advanceDrain, type PhaseChange } from '@outrigger/core/drain/advance.ts';
import { leaseOf } from '@outrigger/core/drain/drivers.ts';
import { type EffectResults, NO_RESULTS } from '@outrigger/core/drain/effects.ts';
import {
  afterTrouble,
  givenUpDrain,
  replaceUnstorableStep,
  timeIsUp,
  observationTimedOut,
} from '@outrigger/core/drain/give-up.ts';
import { heldBy, isPausable, pauseOfDrain, takenBackBy } from '@outrigger/core/drain/paused.ts';
import { type Drain, hasEnded, type StoredDrain } from '@outrigger/core/model/drain.ts';
import { addTime, type EpochMs, seconds } from '@outrigger/core/model/values/time.ts';
import { pausesOfDrains } from '../shared/pauses.ts';
import type { DrainRun } from '../shared/services.ts';
import { observeDrain } from './observe.ts';
import type { StepLimits } from './step-limits.ts';
import { performEffects } from './perform.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';

const CLOCKS_DIFFER = seconds(5);

/** A driver of drains of a cluster. */
export interface Driver extends DrainRun, StepLimits {
  /** Its number; a drain that has another one by now is left alone. */
  readonly attempt: number;
}

/** A drain that is being driven, between two steps. */
export interface Driven {
  readonly id: string;
  readonly dueAt: EpochMs;
  /** The revision of the drain that `results` belong to; for any other revision they do not count. */
  readonly revision: number;
  readonly results: EffectResults;
}

export const newlyDriven = (id: string, dueAt: EpochMs): Driven => ({
  id,
  dueAt,
  revision: 0,
  results: NO_RESULTS,
});

/**
 * `ended`: there is nothing more to do; `handed over`: there is, but not for this driver: another one has the drain by now,
 * or this one came twice.
 */
type AdvanceOutcome = { readonly kind: 'on'; readonly driven: Driven } | { readonly kind: 'ended' | 'handed over' };

/**
 * Takes one drain a step further: loads the drain, observes its node, stores the result of `advanceDrain`, and only
 * then makes the effects. Rejects when the store cannot be reached.
 */
export async function advance(driver: Driver, { id, revision, results }: Driven): Promise<AdvanceOutcome> {
  const { services, cluster, signal, attempt } = driver;
  const stored = await services.drains.load(cluster.name, id, signal);
  if (stored === null || hasEnded(stored.drain)) {
    return { kind: 'ended' };
  }
  if (stored.attempt !== attempt) {
    services.log.info(`${cluster.name}: another driver has ${stored.drain.node} by now`, { drain: id, attempt });
    return { kind: 'handed over' };
  }
  const now = services.now();
  const { nextAt } = stored.drain;
  if (isElsewhere(stored, revision, now)) {
    return { kind: 'handed over' };
  }
  if (nextAt > now) {
    return { kind: 'on', driven: { id, dueAt: nextAt, revision: stored.revision, results } };
  }
  const next = await nextStep(driver, stored.drain, results, now);
  if (next === null) {
    // Nothing can be done at the moment, but the drain keeps its driver.
    const dueAt = addTime(now, afterTrouble(stored.drain, now));
    await store(driver, stored, stored.drain, dueAt);
    return { kind: 'on', driven: newlyDriven(id, dueAt) };
  }
  const { saved, effects, changes } = await save(driver, stored, next, now);
  if (saved === null) {
    return { kind: 'handed over' };
  }
  const { drain } = saved;
  report(driver, saved, changes);
  const made = await performEffects(driver, effects);
  if (hasEnded(drain)) {
    return { kind: 'ended' };
  }
  return { kind: 'on', driven: { id, dueAt: drain.nextAt, revision: saved.revision, results: made } };
}

/**
 * Whether a driver of the same number has taken a drain further: its revision is another one, or, for a driver at its start
 * (revision 0), its next step is due later than clocks differ. A driver is started for drains that are due.
 */
const isElsewhere = ({ drain, revision }: StoredDrain, known: number, now: EpochMs): boolean =>
  known === 0 ? drain.nextAt > addTime(now, CLOCKS_DIFFER) : revision !== known;

/**
 * The step of `advanceDrain` for the drain and the present observation. A drain whose time is up, or whose node has
 * been unreadable for long, is rolled back without an observation. `null`: the node cannot be read now, and is read
 * again later.
 */
async function nextStep(
  run: DrainRun,
  drain: Drain,
  results: EffectResults,
  now: EpochMs,
): Promise<AdvancedDrain | null> {
  const { services, cluster } = run;
  const late = timeIsUp(drain, now, cluster.options);
  if (late !== null) {
    return givenUpDrain(drain, now, late);
  }
  try {
    const pauses = isPausable(drain) ? await pausesOfDrains(run) : [];
    const pause = pauseOfDrain(drain, pauses, now);
    const cancelled = pause && takenBackBy(pause, drain, now);
    if (cancelled !== null) {
      return cancelled;
    }
    const observed = await observeDrain(run, drain, now);
    const next = advanceDrain(drain, { ...observed, results }, now, cluster.options);
    return pause === null ? next : heldBy(pause, drain, next, now);
  } catch (error) {
    services.log.warn(`${cluster.name}: node ${drain.node} could not be read while it is ${drain.phase}`, { error });
    const unseen = observationTimedOut(drain, now, messageOf(error));
    return mapOptional(unseen, (why) => givenUpDrain(drain, now, why));
  }
}

/**
 * Stores the step before any of its effects is made; if the step is too large to store, the drain is rolled back
 * instead.
 */
async function save(
  driver: Driver,
  stored: StoredDrain,
  next: AdvancedDrain,
  now: EpochMs,
): Promise<Pick<AdvancedDrain, 'effects' | 'changes'> & { readonly saved: StoredDrain | null }> {
  const put = async ({ drain }: AdvancedDrain) => await store(driver, stored, drain, drain.nextAt);
  const saved = await put(next);
  if (saved !== 'too large') {
    return { ...next, saved };
  }
  const small = replaceUnstorableStep(stored.drain, next, now);
  const kept = await put(small);
  if (kept === 'too large') {
    throw new Error(`drain ${stored.drain.id} cannot be stored even without its evicted pods`);
  }
  return { ...small, saved: kept };
}

/** Holds the drain for a time after its next step is due. */
function store(driver: Driver, { attempt, revision }: StoredDrain, drain: Drain, dueAt: EpochMs) {
  const { services, cluster, signal, stepMs } = driver;
  const drivenUntil = addTime(dueAt, leaseOf(stepMs));
  return services.drains.save(cluster.name, { drain, attempt, drivenUntil }, revision, signal);
}

function report(
  { services, cluster: { name } }: DrainRun,
  { drain, attempt }: StoredDrain,
  changes: readonly PhaseChange[],
): void {
  const { id, node, group, instance, kind, outcome, createdAt, phaseSince } = drain;
  for (const { from, to, lasted } of changes) {
    const fields = { drain: id, node, group, instance, kind, attempt, from, to, lasted };
    services.log.info(`${name}: ${node} ${from} → ${to}`, fields);
    services.metrics.milliseconds(`Drain${from}`, lasted);
  }
  if (!hasEnded(drain)) {
    return;
  }
  services.metrics.milliseconds('DrainTime', phaseSince - createdAt);
  services.metrics.count(outcome?.kind === 'removed' ? 'NodesRemoved' : 'DrainsRolledBack', 1);
  if (outcome?.kind === 'rolledBack') {
    const { failure, blocker, message, pod } = outcome;
    const fields = { drain: id, node, group, failure, blocker, pod };
    const why = presentItems([mapOptional(pod, (key) => `pod ${key}`), message]).join(': ');
    services.log.warn(`${name}: ${node} stays: ${why}`, fields);
  }
}
