import type { MonthCost, NodeRate } from '../model/month-cost.ts';
import { heldInstances, type NodeGroup, nodePricesOf } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import type { State } from '../model/state.ts';
import { rounded } from '../model/values/rounded.ts';
import { addTime, type EpochMs, epochMs, minutes } from '../model/values/time.ts';

const HOUR = minutes(60);

/** Months that are remembered: the mean rate of the last one counts while this one is young. */
const MONTHS = 2;

/** An evaluation is late by no more than this; later ones have left a gap in which nothing is known. */
const LATE = minutes(5);

/** The rate of the nodes of these groups: of the instances that exist, whether or not they are nodes yet. */
export function rateOf(groups: readonly Pick<NodeGroup, 'instances' | 'price' | 'prices'>[]): NodeRate {
  let usdPerHour = 0;
  let unpriced = 0;
  for (const group of groups) {
    const nodes = heldInstances(group).length;
    const price = nodePricesOf(group).mean;
    if (price === null) {
      unpriced += nodes;
    } else {
      usdPerHour += price * nodes;
    }
  }
  return { usdPerHour: rounded(usdPerHour), unpriced };
}

/**
 * The costs of the last months after an evaluation. They change when the rate does: an idle cluster has nothing to write.
 *
 * @returns `undefined` before the first price is known.
 */
export function monthCostsAfter({ state, nodeGroups, options, now }: Scenario): State['monthCosts'] {
  const rate = rateOf(nodeGroups);
  const before = state.monthCosts ?? [];
  const last = before.at(-1);
  if (last === undefined && nodeGroups.every(({ price }) => price === null)) {
    return undefined;
  }
  const until = knownUntil(state, options, now);
  if (last?.usdPerHour === rate.usdPerHour && last.unpriced === rate.unpriced && until === now) {
    return before;
  }
  const month = beginningOfMonth(now);
  const costs = costsUntil(before, until);
  const own = costs.at(-1);
  if (own === undefined || own.month < month) {
    return [...costs, begun(month, rate, now)].slice(-MONTHS);
  }
  // After a clock that was ahead, nothing is counted twice.
  return [...costs.slice(0, -1), { ...own, ...rate, at: epochMs(Math.max(now, own.at)) }];
}

/** The costs at a time: the rate holds from the last change on, in the months since then, too. */
export function costsUntil(costs: readonly MonthCost[], until: EpochMs): readonly MonthCost[] {
  let last = costs.at(-1);
  if (last === undefined) {
    return [];
  }
  const before = costs.slice(0, -1);
  for (let next = monthAfter(last.month); next <= until; next = monthAfter(next)) {
    before.push(grown(last, next));
    last = begun(next, last, next);
  }
  return [...before, grown(last, until)].slice(-MONTHS);
}

const begun = (month: EpochMs, { usdPerHour, unpriced }: NodeRate, at: EpochMs): MonthCost => ({
  month,
  usd: 0,
  hours: 0,
  unpricedHours: 0,
  at,
  usdPerHour,
  unpriced,
});

function grown(cost: MonthCost, until: EpochMs): MonthCost {
  const hours = Math.max(0, until - cost.at) / HOUR;
  return {
    ...cost,
    usd: rounded(cost.usd + cost.usdPerHour * hours),
    hours: rounded(cost.hours + hours),
    unpricedHours: rounded(cost.unpricedHours + cost.unpriced * hours),
    at: epochMs(Math.max(until, cost.at)),
  };
}

/** The time until which the rate is known: the cluster was evaluated, or is as it was then. */
export function knownUntil(
  { lastEvaluation, lastScaleUpEvaluation }: Pick<State, 'lastEvaluation' | 'lastScaleUpEvaluation'>,
  { idleEvaluationInterval }: Pick<Options, 'idleEvaluationInterval'>,
  now: EpochMs,
): EpochMs {
  const last = epochMs(Math.max(lastScaleUpEvaluation ?? 0, lastEvaluation ?? 0));
  return epochMs(Math.min(addTime(addTime(last, idleEvaluationInterval), LATE), now));
}

/** The beginning of the month of a time. */
export function beginningOfMonth(time: EpochMs): EpochMs {
  const at = new Date(time);
  return epochMs(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()));
}

/** The beginning of the month after that of a time. */
export function monthAfter(time: EpochMs): EpochMs {
  const at = new Date(time);
  return epochMs(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1));
}
