import type { Options } from '../model/options.ts';
import type { State } from '../model/state.ts';
import { rounded } from '../model/values/rounded.ts';
import { type EpochMs, minutes } from '../model/values/time.ts';
import { costsUntil, knownUntil, monthAfter, beginningOfMonth } from '../registry/month-costs.ts';

/** The cost of the nodes in this month. */
export interface MonthToDate {
  /** Now. */
  readonly usdPerHour: number;
  readonly usd: number;
  /** The cost of the whole month: the hours that are not known, past and to come, cost as much as the others in the mean. */
  readonly forecast: number;
  /** The mean of the known hours. */
  readonly meanUsdPerHour: number;
  /** Hours since the beginning of the month, and how many of them `usd` is of. */
  readonly hours: number;
  readonly knownHours: number;
  /** Number of nodes without a known price now, and the hours of such nodes in this month: in no other figure. */
  readonly unpriced: number;
  readonly unpricedHours: number;
}

const HOUR = minutes(60);

/** The hours of the last month count in the mean until this month has a week of hours: the rate goes by the week. */
const WEEK = 7 * 24;

/** The month to date, from what is stored; `null` where no price is known. */
export function monthToDate(
  state: Pick<State, 'monthCosts' | 'lastEvaluation' | 'lastScaleUpEvaluation'>,
  options: Pick<Options, 'idleEvaluationInterval'>,
  now: EpochMs,
): MonthToDate | null {
  const until = knownUntil(state, options, now);
  const costs = costsUntil(state.monthCosts ?? [], until);
  const last = costs.at(-1);
  if (last === undefined) {
    return null;
  }
  const month = beginningOfMonth(now);
  const { usd, hours, unpricedHours } = last.month === month ? last : { usd: 0, hours: 0, unpricedHours: 0 };
  const counted = hours < WEEK ? costs : [last];
  const all = counted.reduce((sum, one) => sum + one.hours, 0);
  const mean = all === 0 ? last.usdPerHour : counted.reduce((sum, one) => sum + one.usd, 0) / all;
  const unknown = (monthAfter(now) - month) / HOUR - hours;
  return {
    usdPerHour: last.usdPerHour,
    usd,
    forecast: rounded(usd + mean * unknown),
    meanUsdPerHour: rounded(mean),
    hours: rounded((now - month) / HOUR),
    knownHours: hours,
    unpriced: last.unpriced,
    unpricedHours,
  };
}
