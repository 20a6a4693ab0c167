import { HOURS_A_MONTH } from '../../config/list-prices.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { printableData } from '@outrigger/core/model/values/printable.ts';
import { durationMs } from '@outrigger/core/model/values/time.ts';
import { type MonthToDate, monthToDate } from '@outrigger/core/explanation/month-to-date.ts';
import { costText } from '@outrigger/core/explanation/sentences.ts';
import { beginningOfMonth } from '@outrigger/core/registry/month-costs.ts';
import { roughly } from '@outrigger/core/words/when.ts';
import { facts, page, prose } from '../explain/show/page.ts';
import { type AskedOfStored, print } from '../explain/stored.ts';
import { type CoveredPeriod, coveredPeriod, periodFacts } from '../history/coverage.ts';
import { findPeriod, type FoundPeriod, type PeriodFlags } from '../history/find-period.ts';
import { figures } from '../terminal/layout.ts';
import type { TerminalStreams } from '../terminal/streams.ts';
import { percent, type Style } from '../terminal/text.ts';
import { type CostBreakdown, costBreakdownOf } from './cost-breakdown.ts';
import type { CostKey } from './cost-key.ts';

export interface NodeCostFlags extends PeriodFlags {
  readonly by: CostKey;
}

/** Costs of the nodes of a period in USD, for programs. */
export interface NodeCostDocument extends CostBreakdown, CoveredPeriod {
  readonly by: string;
  /** At the rate of the covered time. */
  readonly usdPerMonth: number;
  /** The sums that evaluations keep, of the month of `until`; `null` where there are none. */
  readonly month: MonthToDate | null;
}

/**
 * Prints what the nodes of a cluster cost by its history, or by scenarios in files, and for whom. Without `last` since the beginning of
 * the month.
 *
 * @returns the exit code: 0, 1 without a history, or 2 when an option or a file is invalid.
 */
export async function nodeCostCommandLine(
  files: readonly string[],
  flags: NodeCostFlags,
  streams: TerminalStreams,
  now?: AskedOfStored['now'],
): Promise<number> {
  const found = await findPeriod(files, flags, { now, usually: beginningOfMonth }, streams);
  if (!found.ok) {
    return found.error;
  }
  const document = printableData(documentOf(found.value, flags.by)) as NodeCostDocument;
  return await print(
    { kind: 'NodeCost', explanation: document, text: (style) => tellNodeCost(document, style) },
    flags.output,
    streams,
  );
}

function documentOf(found: FoundPeriod, by: CostKey): NodeCostDocument {
  const { period } = found;
  const breakdown = costBreakdownOf(period, by);
  const hours = (period.until - period.since) / 3_600_000;
  return {
    ...breakdown,
    ...coveredPeriod(period, found),
    by: by.of === 'label' ? `label=${by.label}` : by.of,
    usdPerMonth: (breakdown.usd / hours) * HOURS_A_MONTH,
    month: monthToDate(period.last.state, period.last.options, period.until),
  };
}

/** The costs for a terminal. */
function tellNodeCost(document: NodeCostDocument, style: Style): string {
  const { by, usd, idle, rows, nodeHours, unpricedHours, usdPerMonth, month } = document;
  const isOfNodes = by === 'node' || by === 'node-group';
  const shown = isOfNodes ? 4 : 3;
  const cells = (name: string, amount: number, unused: number): readonly string[] =>
    [name, amount.toFixed(2), usd > 0 ? percent(amount / usd) : '–', unused.toFixed(2)].slice(0, shown);
  return page([
    prose('The cost of the nodes. The bill of Outrigger itself is estimated by outrigger cost.', style),
    facts(
      [
        ...periodFacts(document),
        ['Node-hours', nodeHours.toFixed(1)],
        ['Month to date', mapOptional(month, costText)],
        ['A month', `${usdPerMonth.toFixed(2)} USD in ${HOURS_A_MONTH} hours at this rate`],
      ],
      style,
    ),
    figures(
      [by, 'USD', 'share', 'of it idle'].slice(0, shown),
      [
        ...rows.map((row) => cells(row.name, row.usd, row.idle)),
        ...presentItems([!isOfNodes && cells('idle', idle, idle), cells('total', usd, idle)]),
      ],
      style.colors,
    ),
    prose(
      unpricedHours > 0 &&
        `Not counted: nodes without a known price, for ${roughly(durationMs(unpricedHours * 3_600_000))}. State prices by the option prices, or by tags.`,
      style,
    ),
    prose('Idle is what no pod requested. It includes DaemonSets.', style),
  ]);
}
