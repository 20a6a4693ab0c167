import { HOURS_A_MONTH } from '../../config/list-prices.ts';
import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { periodFacts } from '../history/coverage.ts';
import { facts, page, prose } from '../explain/show/page.ts';
import { bulleted, figures, titled } from '../terminal/layout.ts';
import { length, percent, type Style } from '../terminal/text.ts';
import type { AdviceDocument, AdvisedLayout, RunMeans } from './document.ts';
import type { Saving } from './judge.ts';
import type { WastefulWorkload } from './unused-room.ts';

const GIB = 2 ** 30;

/** Advice for a terminal. */
export function tellAdvice(document: AdviceDocument, style: Style): string {
  const { seeds, estimated, simulated, layouts, workloads, notes } = document;
  return page([
    facts(
      [
        ...periodFacts(document),
        [
          'Tried',
          `${counted(estimated, 'layout')} by an estimate, ${simulated} in a simulation, ${layouts.length} in ${seeds.length} more`,
        ],
      ],
      style,
    ),
    tableOf(document, style),
    ...layouts.map((layout, index) => changesOf(layout, index + 1, style)),
    prose(verdictText(document), style),
    titled(
      style.colors.bold('Pods that keep nodes half empty: no two of a workload fit on one node'),
      bulleted(
        workloads.map((workload) => workloadText(workload, document)),
        style.width,
      ),
    ),
    titled(style.colors.bold('Notes'), bulleted(notes, style.width)),
  ]);
}

function tableOf({ today, layouts }: AdviceDocument, { colors }: Style): readonly string[] {
  const row = (name: string, means: RunMeans, saving: string): readonly string[] => [
    name,
    means.usd.toFixed(2),
    means.usdPerMonth.toFixed(0),
    saving,
    means.nodesMost.toFixed(0),
    mapOptional(means.waitP95, length) ?? '–',
    means.evictions.toFixed(0),
  ];
  return figures(
    ['', 'USD', 'a month', 'saves', 'nodes\nat most', 'wait,\n95 %', 'evictions'],
    [
      row('as it is', today, ''),
      ...layouts.map((layout, index) => row(`layout ${index + 1}`, layout, savingText(layout.saving))),
    ],
    colors,
  );
}

/** `8.4 % (6.1 to 10.7)` */
const savingText = ({ mean, low, high }: Saving): string => `${tenths(mean)} % (${tenths(low)} to ${tenths(high)})`;

const tenths = (share: number): string => (share * 100).toFixed(1).replace('-', '−');

const changesOf = ({ changes }: AdvisedLayout, number: number, style: Style): readonly string[] =>
  titled(
    style.colors.bold(`Layout ${number}`),
    bulleted(
      changes.map(
        ({ groups, from, to }) => `${groups.join(', ')}: ${to.join(' and ')} in place of ${from.join(' and ')}`,
      ),
      style.width,
    ),
  );

function verdictText({ simulated, layouts }: AdviceDocument): string {
  if (simulated === 0) {
    return 'No instance types are estimated to save 1 % or more: those of the node groups are right for this load.';
  }
  if (layouts.length === 0) {
    return 'No layout was cheaper in its simulation: the instance types of the node groups are right for this load.';
  }
  const best = layouts.findIndex(({ verdict }) => verdict === 'saves');
  if (best === -1) {
    return layouts.some(({ verdict }) => verdict === 'idle')
      ? 'No layout is advised: those that save at list price leave capacity unused that is paid for in any case.'
      : 'No layout saves for certain: boot times and ties decide more than the instance types do.';
  }
  return `Layout ${best + 1} saves most. To use it, create node groups of its instance types in the same zones, and lower the maximum sizes of those in place.`;
}

function workloadText(workload: WastefulWorkload, { since, until }: AdviceDocument): string {
  const { namespace, kind, names, requests, share, instanceType, unusedUsd, toFitTwo } = workload;
  const perMonth = (unusedUsd / ((until - since) / 3_600_000)) * HOURS_A_MONTH;
  return `${kind} ${namespace}/${firstNames(names)}: a pod requests ${amountsText(requests)}, ${percent(share)} of ${instanceType}. The unused rest of its nodes costs ${perMonth.toFixed(0)} USD a month. Two fit with ${amountsText(toFitTwo)} each.`;
}

const amountsText = ({ cpu, memory }: WastefulWorkload['requests']): string =>
  `${Number((cpu / 1_000).toFixed(2))} CPU and ${Number((memory / GIB).toFixed(1))} GiB`;
