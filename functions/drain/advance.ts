import { advanceDrain, type PhaseChange } from '../../core/drain/advance.ts';
import { type EffectResults, NO_RESULTS } from '../../core/drain/effects.ts';
import { type Drain, hasEnded } from '../../core/model/drain.ts';
import type { StoredDrain } from '../../core/model/ports.ts';
import { addTime, type EpochMs, seconds } from '../../core/model/time.ts';
import type { Cluster, World } from '../shared/world.ts';
import { observeDrain } from './observe.ts';
import { perform } from './perform.ts';

/**
 * A drain is this driver's until so long after the step that it waits for. Nothing that a step does goes on for longer
 * than half of it (`STEP_MS`): whoever takes over finds nobody at work.
 */
export const LEASE = seconds(90);
/** How long one step may take, in milliseconds. */
export const STEP_MS = 40_000;
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

export const newlyDriven = (id: string, now: EpochMs): Driven => ({
  id,
  dueAt: now,
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
 */
export async function advance(
  world: World,
  cluster: Cluster,
  attempt: number,
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
  const fresh = stored.revision === revision ? results : NO_RESULTS;
  const advanced = await step(world, cluster, stored.drain, fresh, now, signal);
  const { drain } = advanced;
  const saved = await world.drains.save(
    cluster.name,
    { drain, attempt, drivenUntil: addTime(drain.nextAt, LEASE) },
    stored.revision,
    signal,
  );
  if (saved === null) {
    return { kind: 'on', driven: { ...newlyDriven(id, now), dueAt: addTime(now, OVERTAKEN_WAIT) } };
  }
  report(world, cluster, saved, advanced.changes);
  const made = await perform(world, cluster, advanced.effects, signal);
  return hasEnded(drain)
    ? { kind: 'ended' }
    : { kind: 'on', driven: { id, dueAt: drain.nextAt, revision: saved.revision, results: made } };
}

async function step(
  world: World,
  cluster: Cluster,
  drain: Drain,
  results: EffectResults,
  now: EpochMs,
  signal: AbortSignal,
): Promise<ReturnType<typeof advanceDrain>> {
  try {
    const observed = await observeDrain(world, cluster, drain, signal);
    return advanceDrain(drain, { ...observed, results }, now, cluster.options);
  } catch (error) {
    // The time runs on: once the world can be looked at again, it is judged by what it has become.
    world.log.warn(`${cluster.name}: node ${drain.node} could not be looked at while it is ${drain.phase}`, { error });
    return { drain: { ...drain, nextAt: addTime(now, TROUBLE_WAIT) }, effects: [], changes: [] };
  }
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
