import { advanceDrain, type PhaseChange } from '../../core/drain/advance.ts';
import { type EffectResults, NO_RESULTS } from '../../core/drain/effects.ts';
import type { DrainObservation } from '../../core/drain/observation.ts';
import { type Drain, hasEnded } from '../../core/model/drain.ts';
import type { StoredDrain } from '../../core/model/ports.ts';
import { addTime, type DurationMs, durationMs, type EpochMs, seconds } from '../../core/model/time.ts';
import type { Cluster, World } from '../shared/world.ts';
import { observeDrain } from './observe.ts';
import { perform } from './perform.ts';

/**
 * A drain is this driver's until so long after the step that it waits for. Nothing that a step does goes on for longer
 * than half of it: whoever takes over finds nobody at work.
 */
export const leaseOf = (stepMs: number): DurationMs => durationMs(2 * stepMs + 10_000);
/** Before the world is looked at again that could not be looked at. */
const TROUBLE_WAIT = seconds(10);
const OVERTAKEN_WAIT = seconds(1);

/** A drain that is being driven, between two steps. */
export interface Driven {
  readonly id: string;
  readonly dueAt: EpochMs;
  /** The revision that `results` are about; with another one they say nothing. */
  readonly revision: number;
  readonly results: EffectResults;
}

export const newlyDriven = (id: string, dueAt: EpochMs): Driven => ({
  id,
  dueAt,
  revision: 0,
  results: NO_RESULTS,
});

/** `ended`: there is nothing more to do; `handed over`: there is, but not for this driver. */
export type AdvanceOutcome =
  | { readonly kind: 'on'; readonly driven: Driven }
  | { readonly kind: 'ended' | 'handed over' };

/**
 * Takes one drain a step further: loads it, looks at the world, stores what `advanceDrain` makes of it, and only then
 * makes the effects. Rejects when the store cannot be reached.
 *
 * @param attempt the number of this driver; a drain that has another one by now is left alone.
 * @param lease how long the drain is held after the next step is due.
 */
export async function advance(
  world: World,
  cluster: Cluster,
  attempt: number,
  lease: DurationMs,
  { id, revision, results }: Driven,
  signal: AbortSignal,
): Promise<AdvanceOutcome> {
  const stored = await world.drains.load(cluster.name, id, signal);
  if (stored === null || hasEnded(stored.drain)) {
    return { kind: 'ended' };
  }
  if (stored.attempt !== attempt) {
    world.log.info(`${cluster.name}: another driver has ${stored.drain.node} by now`, { drain: id, attempt });
    return { kind: 'handed over' };
  }
  const now = world.now();
  if (stored.drain.nextAt > now) {
    return { kind: 'on', driven: { id, dueAt: stored.drain.nextAt, revision, results } };
  }
  const observed = await look(world, cluster, stored.drain, signal);
  if (observed === null) {
    return await hold(world, cluster, stored, addTime(now, TROUBLE_WAIT), lease, signal);
  }
  const fresh = stored.revision === revision ? results : NO_RESULTS;
  const { drain, effects, changes } = advanceDrain(stored.drain, { ...observed, results: fresh }, now, cluster.options);
  const saved = await world.drains.save(
    cluster.name,
    { drain, attempt, drivenUntil: addTime(drain.nextAt, lease) },
    stored.revision,
    signal,
  );
  if (saved === null) {
    return { kind: 'on', driven: newlyDriven(id, addTime(now, OVERTAKEN_WAIT)) };
  }
  report(world, cluster, saved, changes);
  const made = await perform(world, cluster, effects, signal);
  return hasEnded(drain)
    ? { kind: 'ended' }
    : { kind: 'on', driven: { id, dueAt: drain.nextAt, revision: saved.revision, results: made } };
}

async function look(
  world: World,
  cluster: Cluster,
  drain: Drain,
  signal: AbortSignal,
): Promise<Omit<DrainObservation, 'results'> | null> {
  try {
    return await observeDrain(world, cluster, drain, signal);
  } catch (error) {
    world.log.warn(`${cluster.name}: node ${drain.node} could not be looked at while it is ${drain.phase}`, { error });
    return null;
  }
}

/** Nothing can be done at the moment, but the drain has a driver. */
async function hold(
  world: World,
  cluster: Cluster,
  { drain, attempt, revision }: StoredDrain,
  dueAt: EpochMs,
  lease: DurationMs,
  signal: AbortSignal,
): Promise<AdvanceOutcome> {
  await world.drains.save(cluster.name, { drain, attempt, drivenUntil: addTime(dueAt, lease) }, revision, signal);
  return { kind: 'on', driven: newlyDriven(drain.id, dueAt) };
}

function report(
  world: World,
  { name }: Cluster,
  { drain, attempt }: StoredDrain,
  changes: readonly PhaseChange[],
): void {
  const { id, node, group, instance, kind, outcome, createdAt, phaseSince } = drain;
  for (const { from, to, lasted } of changes) {
    world.log.info(`${name}: ${node} ${from} → ${to}`, {
      drain: id,
      node,
      group,
      instance,
      kind,
      attempt,
      from,
      to,
      lasted,
    });
    world.metrics.milliseconds(`Drain${from}`, lasted);
  }
  if (!hasEnded(drain)) {
    return;
  }
  world.metrics.milliseconds('DrainTime', phaseSince - createdAt);
  world.metrics.count(outcome?.kind === 'removed' ? 'NodesRemoved' : 'DrainsRolledBack', 1);
  if (outcome?.kind === 'rolledBack') {
    const { failure, message, pod } = outcome;
    world.log.warn(`${name}: ${node} stays: ${pod === null ? '' : `pod ${pod}: `}${message}`, {
      drain: id,
      node,
      group,
      failure,
      pod,
    });
  }
}
