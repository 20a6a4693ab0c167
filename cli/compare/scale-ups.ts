import type { Decision, Increase } from '@outrigger/core/model/decision.ts';
import type { GroupName, PodKey } from '@outrigger/core/model/values/names.ts';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { ComparisonMaterial, ComparedScaleUp, Observation } from './comparison.ts';

/** A scale-up with the times of its pods. */
export interface ComparedIncrease extends ComparedScaleUp {
  /** When no pod of it needed a node any more; the end of the period where some pod still does. */
  readonly endedAt: EpochMs;
  readonly waits: readonly Wait[];
}

/** The times at which a size was set for a pod; `null` where none was. */
interface Wait {
  readonly pod: PodKey;
  readonly outriggerAt: EpochMs;
  readonly actingAt: EpochMs | null;
}

/** Group names as the caller has them; a branded name is a string. */
const entriesOf = <T>(record: Readonly<Record<GroupName, T>>): readonly (readonly [GroupName, T])[] =>
  Object.entries(record) as unknown as readonly (readonly [GroupName, T])[];

export function observationOf({ registry: { groups, totals } }: Decision): Observation {
  const entries = entriesOf(groups);
  const inGroups = entries.reduce((sum, [, { registered }]) => sum + registered, 0);
  const sizes = new Map<GroupName | null, number>([
    ...entries.map(([name, { target }]) => [name, target] as const),
    [null, Math.max(0, totals.registered - inGroups)],
  ]);
  return { sizes, registered: totals.registered };
}

/**
 * The groups that have grown between two times. A node whose instance has left its group is in no group until it is gone:
 * the nodes of no group have grown only by as many as have registered.
 */
const growthBetween = (before: Observation, after: Observation): readonly Increase[] =>
  [...after.sizes]
    .map(([group, observed]) => {
      const from = before.sizes.get(group) ?? observed;
      const to = group === null ? Math.min(observed, from + after.registered - before.registered) : observed;
      return { group: group ?? NO_GROUP, from, to };
    })
    .filter(({ from, to }) => to > from);

/** Stands for the name of a group in the sizes of nodes that are in none. */
export const NO_GROUP = '(no node group)' as GroupName;

/** An announcement for a pod is no earlier than this before the pod is pending: times of events are whole seconds, and clocks differ. */
const EARLIER = minutes(1);

interface Open {
  readonly at: EpochMs;
  readonly from: Observation;
  /** When Outrigger first answered each pod. */
  readonly pods: Map<PodKey, EpochMs>;
  readonly sizes: Map<GroupName, number>;
  grownAt: EpochMs | null;
}

/**
 * Pairs the scale-ups of Outrigger's decisions with the scale-ups of the other autoscaler. An observing Outrigger repeats a
 * decision in each evaluation, so decisions are one scale-up until no pod of the first decision needs a node any more.
 */
export function scaleUpsOf(material: ComparisonMaterial): readonly ComparedIncrease[] {
  const { decisions, until } = material;
  const found: ComparedIncrease[] = [];
  let open: Open | null = null;
  let before: Observation | null = null;
  for (const { at, decision } of decisions) {
    const sizes = observationOf(decision);
    const grown = growthBetween(before ?? sizes, sizes);
    if (open === null && grown.length > 0) {
      found.push(unforeseen(at, grown));
    }
    if (open !== null && grown.length > 0) {
      open.grownAt ??= at;
    }
    before = sizes;
    if (decision.scaleUp.result === 'NotEvaluated') {
      continue;
    }
    const triggered = decision.scaleUp.pods.filter(({ outcome }) => outcome === 'Triggered').map(({ pod }) => pod);
    if (open !== null && !triggered.some((pod) => open?.pods.has(pod))) {
      found.push(closed(open, sizes, at, material));
      open = null;
    }
    if (triggered.length > 0) {
      open ??= { at, from: sizes, pods: new Map(), sizes: new Map(), grownAt: null };
      take(open, at, triggered, decision);
    }
  }
  if (open !== null) {
    found.push(closed(open, before ?? open.from, until, material));
  }
  return found;
}

function take(open: Open, at: EpochMs, triggered: readonly PodKey[], { scaleUp }: Decision): void {
  for (const pod of triggered) {
    open.pods.set(pod, open.pods.get(pod) ?? at);
  }
  for (const { group, to } of scaleUp.increases) {
    open.sizes.set(group, Math.max(open.sizes.get(group) ?? 0, to));
  }
}

/** A growth for which Outrigger saw no need. */
const unforeseen = (at: EpochMs, sizes: readonly Increase[]): ComparedIncrease => ({
  pods: [],
  outrigger: null,
  acting: { at, sizes, exact: false },
  endedAt: at,
  waits: [],
});

function closed(
  open: Open,
  after: Observation,
  endedAt: EpochMs,
  { announced, pendingSince }: Pick<ComparisonMaterial, 'announced' | 'pendingSince'>,
): ComparedIncrease {
  const sizes = growthBetween(open.from, after);
  const announcedFor = (pod: PodKey): EpochMs | undefined =>
    announced.pods.get(pod)?.find((time) => time >= (pendingSince.get(pod) ?? open.at) - EARLIER && time <= endedAt);
  const events = [...open.pods.keys()].flatMap((pod) => announcedFor(pod) ?? []);
  let [at, last] = [open.grownAt, open.grownAt];
  if (events.length > 0) {
    at = Math.min(...events) as EpochMs;
    // Not each pod has an event: Karpenter limits their rate.
    last = Math.min(Math.max(...events), open.grownAt ?? Infinity) as EpochMs;
  }
  const waits = [...open.pods].map(([pod, outriggerAt]) => ({
    pod,
    outriggerAt,
    actingAt: announcedFor(pod) ?? (sizes.length === 0 ? null : last),
  }));
  return {
    pods: [...open.pods.keys()],
    outrigger: {
      at: open.at,
      sizes: [...open.sizes].map(([group, to]) => ({ group, from: open.from.sizes.get(group) ?? 0, to })),
    },
    acting: sizes.length === 0 || at === null ? null : { at, sizes, exact: events.length > 0 },
    endedAt,
    waits,
  };
}
