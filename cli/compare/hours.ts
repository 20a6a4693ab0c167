import { addCount } from '@outrigger/core/model/values/counts.ts';
import type { GroupName, NodeName } from '@outrigger/core/model/values/names.ts';
import { getOptional, itemsIf } from '@outrigger/core/model/values/optional.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { thousandths } from '../backtest/figures.ts';
import type { ComparisonMaterial, ComparedGroup } from './comparison.ts';
import { firstTime, nodesIn, type TimedRemoval } from './removals.ts';
import { NO_GROUP, type ComparedIncrease, observationOf } from './scale-ups.ts';

const HOUR_MS = 3_600_000;

/** A node of the other, and until when it lives: with the other, and if Outrigger had removed nodes. */
interface Life {
  readonly group: GroupName;
  /** When it was seen first; `null` of a node that the first decision saw. */
  readonly seenAt: EpochMs | null;
  readonly actingUntil: EpochMs;
  readonly outriggerUntil: EpochMs;
}

/**
 * The node-hours of each group. Those of the other are the integral of the sizes. Those of Outrigger are the same with
 * corrections: a node that only one of the two removes, or removes earlier; and a scale-up, in which Outrigger's nodes are
 * there earlier, and live as long as the nodes that the other has added instead do on average.
 */
export function hoursOf(
  material: ComparisonMaterial,
  scaleUps: readonly ComparedIncrease[],
  removals: readonly TimedRemoval[],
): readonly ComparedGroup[] {
  const { since, until, prices } = material;
  const observed = material.decisions.map(({ at, decision }) => ({ at, sizes: observationOf(decision).sizes }));
  const lives = livesOf(material, removals);
  const corrections = new Map<GroupName | null, number>();
  const correct = (group: GroupName, ms: number): void => {
    addCount(corrections, group === NO_GROUP ? null : group, ms);
  };
  for (const scaleUp of scaleUps) {
    correctFor(scaleUp, takeAdded(scaleUp, lives, until), until, correct);
  }
  for (const { group, outriggerUntil, actingUntil } of lives.values()) {
    correct(group, outriggerUntil - actingUntil);
  }
  return [...new Set(observed.flatMap(({ sizes }) => [...sizes.keys()]))].flatMap((group) => {
    const acting = observed.reduce((total, { at, sizes }, index) => {
      const lasts = Math.min(observed[index + 1]?.at ?? until, until) - Math.max(at, since);
      return total + Math.max(0, lasts) * (sizes.get(group) ?? 0);
    }, 0);
    const outrigger = Math.max(0, acting + (corrections.get(group) ?? 0));
    const price = getOptional(prices, group) ?? null;
    const nodeHours = { outrigger: inHours(outrigger), acting: inHours(acting) };
    return itemsIf(acting > 0 || outrigger > 0, [{ group, price, nodeHours }]);
  });
}

const inHours = (ms: number): number => thousandths(ms / HOUR_MS);

function livesOf({ decisions, until }: ComparisonMaterial, removals: readonly TimedRemoval[]): Map<NodeName, Life> {
  const lives = new Map<NodeName, Life>();
  let isFirst = true;
  for (const { at, decision } of decisions) {
    const nodes = nodesIn(decision);
    for (const [node, group] of nodes ?? []) {
      if (!lives.has(node)) {
        lives.set(node, { group, seenAt: isFirst ? null : at, actingUntil: until, outriggerUntil: until });
      }
    }
    isFirst &&= nodes === null;
  }
  for (const { node, outriggerUntil, actingUntil } of removals.toSorted((a, b) => firstTime(a) - firstTime(b))) {
    const life = lives.get(node);
    if (life !== undefined) {
      lives.set(node, { ...life, actingUntil, outriggerUntil });
    }
  }
  return lives;
}

/** Takes the nodes that the other has added in a scale-up from the lives; nodes that were never seen live until the end. */
function takeAdded(
  { acting, outrigger }: ComparedIncrease,
  lives: Map<NodeName, Life>,
  until: EpochMs,
): readonly Life[] {
  const begin = Math.min(acting?.at ?? Infinity, outrigger?.at ?? Infinity);
  return (acting?.sizes ?? []).flatMap(({ group, from, to }) => {
    const added = [...lives]
      .filter(([, life]) => life.group === group && life.seenAt !== null && life.seenAt >= begin)
      .slice(0, to - from);
    added.forEach(([node]) => lives.delete(node));
    const unseen = { group, seenAt: null, actingUntil: until, outriggerUntil: until };
    return [...added.map(([, life]) => life), ...Array.from({ length: to - from - added.length }, () => unseen)];
  });
}

function correctFor(
  { outrigger, acting, endedAt }: ComparedIncrease,
  added: readonly Life[],
  until: EpochMs,
  correct: (group: GroupName, ms: number) => void,
): void {
  const actingAt = acting?.at ?? endedAt;
  const lasted = (by: 'actingUntil' | 'outriggerUntil'): readonly number[] =>
    added.map((life) => Math.min(until, life[by]) - actingAt);
  const usual = lasted('outriggerUntil').reduce((total, ms) => total + ms / added.length, 0);
  for (const { group, from, to } of outrigger?.sizes ?? []) {
    correct(group, (to - from) * (Math.max(0, actingAt - (outrigger?.at ?? actingAt)) + usual));
  }
  for (const [index, ms] of lasted('actingUntil').entries()) {
    correct(added[index]?.group ?? NO_GROUP, -ms);
  }
}
