import { textIf } from '@outrigger/core/model/values/optional.ts';
import { itemAt } from '@outrigger/core/model/values/existing.ts';
import type { PlanReport } from '@outrigger/core/model/decision.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import type { ChartOfReport, SeriesOfReport } from './report.ts';
import { pointsOf, type SampledValue } from './samples.ts';

/**
 * Cost of each plan, against its lower bound and first fit.
 *
 * @param names of the places on the x-axis.
 * @param plans in the same order; `null` launches nothing and is left out.
 */
export function planChart(
  names: readonly string[],
  plans: readonly { readonly plan: PlanReport | null }[],
): readonly ChartOfReport[] {
  const bought: { readonly plan: PlanReport; readonly name: string }[] = [];
  for (const [index, { plan }] of plans.entries()) {
    if (plan !== null) {
      bought.push({ plan, name: itemAt(names, index) });
    }
  }
  if (bought.length === 0) {
    return [];
  }
  const basis = bought.every(({ plan }) => plan.basis === 'price') ? 'usd per hour' : 'size';
  const total = (of: (plan: PlanReport) => number): number => bought.reduce((sum, { plan }) => sum + of(plan), 0);
  const known = textIf(
    bought.some(({ plan }) => plan.bound === null),
    ', as far as that was worked out',
  );
  return [
    {
      title: 'Cost of each plan against its lower bound',
      summary: `${counted(bought.length, 'plan')} for $${total(({ cost }) => cost).toFixed(3)}/h; no plan for the same pods costs less than $${total(({ bound }) => bound ?? 0).toFixed(3)}/h${known}.`,
      kind: 'bars',
      unit: basis,
      categories: bought.map(({ name }) => name),
      series: [
        {
          name: 'lower bound',
          tone: 'bound',
          points: bought.flatMap(({ plan }, x) => (plan.bound === null ? [] : [[x, plan.bound] as const])),
        },
        { name: 'plan', tone: 'cost', points: bought.map(({ plan }, x) => [x, plan.cost] as const) },
      ],
    },
  ];
}

/** Lower bound for the pods, beside the cost of the nodes; nothing where it is unknown. */
export const needSeries = (needs: readonly SampledValue[], from: number, end: number): readonly SeriesOfReport[] =>
  needs.length === 0 ? [] : [{ name: 'lower bound', tone: 'bound', points: pointsOf(needs, from, end) }];

/** A chart of lines over time. */
export const overTime = (chart: Pick<ChartOfReport, 'title' | 'summary' | 'unit' | 'series'>): ChartOfReport => ({
  kind: 'steps',
  categories: null,
  ...chart,
});
