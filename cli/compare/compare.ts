import type { Increase } from '@outrigger/core/model/decision.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { percentiles } from '@outrigger/simulation/recording/summarize.ts';
import { sum, thousandths } from '../backtest/figures.ts';
import type { ComparisonMaterial, ComparedGroup, Comparison } from './comparison.ts';
import { hoursOf } from './hours.ts';
import { removalsOf } from './removals.ts';
import { scaleUpsOf } from './scale-ups.ts';

/**
 * Compares the decisions of an observing Outrigger with the sizes and nodes that they have observed. The hours of the other are
 * measured; those of Outrigger are the same with a correction for each scale-up and removal that differs (docs/compare.md).
 */
export function compare(material: ComparisonMaterial): Comparison {
  const { decisions, announced, since, until, pendingSince } = material;
  const inPeriod = (at: EpochMs): boolean => at >= since && at <= until;
  const scaleUps = scaleUpsOf(material).filter(({ outrigger, acting }) => inPeriod((outrigger ?? acting)?.at ?? since));
  const removals = removalsOf(
    material,
    scaleUps.flatMap(({ outrigger }) => outrigger?.at ?? []),
  ).filter(({ outriggerUntil, actingUntil }) => inPeriod(Math.max(outriggerUntil, actingUntil) as EpochMs));
  const groups = hoursOf(material, scaleUps, removals);
  const waits = scaleUps.flatMap((one) => one.waits);
  const secondsTo = (by: 'outriggerAt' | 'actingAt') => {
    const seconds: number[] = [];
    for (const { pod, [by]: at } of waits) {
      const from = pendingSince.get(pod);
      if (from !== undefined && at !== null) {
        seconds.push(Math.max(0, at - from) / 1_000);
      }
    }
    return percentiles(seconds);
  };
  const totals = (by: 'outrigger' | 'acting') => ({
    nodesAdded: sum(scaleUps.map((one) => added(one[by]?.sizes ?? []))),
    nodesRemoved: removals.filter((one) => one.by === 'both' || one.by === by).length,
    nodeHours: thousandths(sum(groups.map(({ nodeHours }) => nodeHours[by]))),
    usd: costOf(groups, by),
  });
  return {
    other: announced.by ?? 'the other autoscaler',
    otherStatus: announced.status,
    since,
    until,
    decisions: decisions.filter(({ at }) => inPeriod(at)).length,
    outrigger: { pendingToSize: secondsTo('outriggerAt'), ...totals('outrigger') },
    acting: { pendingToSize: secondsTo('actingAt'), ...totals('acting') },
    scaleUps: scaleUps.map(({ pods, outrigger, acting }) => ({ pods, outrigger, acting })),
    removals: removals.map(({ outriggerUntil: _outrigger, actingUntil: _acting, ...removal }) => removal),
    groups,
  };
}

const added = (sizes: readonly Increase[]): number => sum(sizes.map(({ from, to }) => to - from));

function costOf(groups: readonly ComparedGroup[], by: 'outrigger' | 'acting'): number | null {
  const hasPrice = groups.some(({ price }) => price !== null);
  return hasPrice ? thousandths(sum(groups.map(({ price, nodeHours }) => (price ?? 0) * nodeHours[by]))) : null;
}
