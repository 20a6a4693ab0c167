import { clip } from '@outrigger/core/model/values/clip.ts';
import { textBefore } from '@outrigger/core/model/values/existing.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import type { ChartConfiguration, TooltipItem } from 'chart.js';
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { NODE_STATES, type NodeOfReport, type Report, STATE_NAMES, type Stretch } from '../report.ts';
import { ChartCanvas, type Theme } from './chart.ts';
import { timeText, timeTicks } from './times.ts';
import { pageTable } from './table.ts';

/** Nodes that are shown at a time. */
const PAGE = 40;
const ROW_HEIGHT = 20;
const LONGEST_LABEL = 26;

interface NodesProps {
  readonly report: Report;
  /** The nodes that pass the filters. */
  readonly nodes: readonly NodeOfReport[];
  readonly mark: number | null;
}

/** Each node over time, and what became of it. */
export function Nodes({ report, nodes, mark }: NodesProps): ComponentChild {
  const [wanted, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(nodes.length / PAGE));
  const page = Math.min(wanted, pages - 1);
  const shown = nodes.slice(page * PAGE, (page + 1) * PAGE);
  const turn = (text: string, to: number): ComponentChild =>
    h('button', { type: 'button', disabled: to < 0 || to >= pages, onClick: () => setPage(to) }, text);
  return h(
    'section',
    { class: 'card' },
    h('h2', null, report.span === null ? 'Nodes of the scenario' : 'Nodes over time'),
    h(
      'p',
      { class: 'pager' },
      `${Math.min(nodes.length, page * PAGE + 1)}–${page * PAGE + shown.length} of ${nodes.length} `,
      pages > 1 && [turn('Previous', page - 1), ' ', turn('Next', page + 1)],
    ),
    report.span !== null && shown.length > 0 && h(Bars, { shown, span: report.span, start: report.start, mark }),
    h(NodeTable, { shown, report, isOpen: report.span === null }),
  );
}

interface BarsProps {
  readonly shown: readonly NodeOfReport[];
  readonly span: Stretch;
  readonly start: number | null;
  readonly mark: number | null;
}

const Bars = ({ shown, span, start, mark }: BarsProps): ComponentChild =>
  h(ChartCanvas<'bar'>, {
    config: (theme) => configOf(shown, span, start, theme),
    inputs: [shown.map(({ name }) => name).join(), span.to],
    label: `The states of ${shown.length} nodes over time; the table below has them in words.`,
    height: shown.length * ROW_HEIGHT + 70,
    mark,
  });

function configOf(
  shown: readonly NodeOfReport[],
  span: Stretch,
  start: number | null,
  theme: Theme,
): ChartConfiguration<'bar'> {
  const narrow = innerWidth < 600;
  return {
    type: 'bar',
    data: {
      // Names may be the same: the labels are numbers, and the ticks show the names.
      labels: shown.map((_, index) => String(index)),
      datasets: NODE_STATES.map((state) => ({
        label: STATE_NAMES[state],
        backgroundColor: theme.tones(state),
        grouped: false,
        minBarLength: 1,
        data: shown.flatMap(({ phases }, index) =>
          phases
            .filter((phase) => phase.state === state)
            .map(({ from, to }) => ({ x: [from, to], y: String(index) }) as unknown as number),
        ),
      })),
    },
    options: {
      indexAxis: 'y',
      interaction: { mode: 'nearest', intersect: true },
      scales: {
        x: {
          type: 'linear',
          min: span.from,
          max: span.to,
          ticks: timeTicks(span.to - span.from, start),
        },
        y: {
          ticks: {
            autoSkip: false,
            font: { size: 10 },
            callback: (_, index) => clip(shortName(shown[index]?.name ?? ''), narrow ? 14 : LONGEST_LABEL),
          },
          grid: { display: false },
        },
      },
      plugins: {
        legend: { labels: { boxWidth: 12 } },
        tooltip: {
          callbacks: {
            title: ([item]: TooltipItem<'bar'>[]) => {
              const node = shown[Number(item?.label)];
              return node === undefined ? '' : `${node.name} (${node.group ?? 'in no node group'})`;
            },
            label: ({ dataset, raw }: TooltipItem<'bar'>) => {
              const [from, to] = (raw as { x: [number, number] }).x;
              return `${dataset.label ?? ''}: ${timeText(from, start)}–${timeText(to, start)}`;
            },
            afterLabel: ({ label }: TooltipItem<'bar'>) => shown[Number(label)]?.note ?? '',
          },
        },
      },
    },
  };
}

/** A node's name without its domain. */
const shortName = (name: string): string => textBefore(name, '.');

interface TableProps {
  readonly shown: readonly NodeOfReport[];
  readonly report: Report;
  readonly isOpen: boolean;
}

function NodeTable({ shown, report, isOpen }: TableProps): ComponentChild {
  const phasesText = ({ phases }: NodeOfReport): string =>
    phases.map(({ state, from }) => `${STATE_NAMES[state]} from ${timeText(from, report.start)}`).join(', ');
  const columns = presentItems(['node', 'node group', report.span !== null && 'states', 'status']);
  return h(
    'details',
    { open: isOpen },
    h('summary', null, 'As a table'),
    h(
      'div',
      { class: 'scroll', tabIndex: 0 },
      pageTable(
        columns,
        shown.map((node) =>
          presentItems([node.name, node.group ?? '', report.span !== null && phasesText(node), node.note ?? '']),
        ),
      ),
    ),
  );
}
