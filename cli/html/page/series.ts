import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { ChartConfiguration, TooltipItem } from 'chart.js';
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { ChartOfReport, SeriesOfReport } from '../report.ts';
import { ChartCanvas, type Theme } from './chart.ts';
import { timeText, timeTicks } from './times.ts';
import { pageTable } from './table.ts';

interface SeriesProps {
  readonly chart: ChartOfReport;
  readonly start: number | null;
  readonly mark: number | null;
}

/** A chart with its title, its summary, and its values as a table. */
export function SeriesChart({ chart, start, mark }: SeriesProps): ComponentChild {
  const markInTime = chart.categories === null ? mark : null;
  return h(
    'section',
    { class: 'card' },
    h('h2', null, chart.title),
    h('p', { class: 'faint' }, chart.summary),
    chart.series.length > 0 && [
      h(ChartCanvas<'line' | 'bar'>, {
        config: (theme) => configOf(chart, start, theme),
        inputs: [chart],
        label: `${chart.title}. ${chart.summary}`,
        height: 220,
        mark: markInTime,
      }),
      h(ValueTable, { chart, start }),
    ],
  );
}

const MOST_ROWS = 500;

/** Made when it is opened: it may be long. */
function ValueTable({ chart, start }: Pick<SeriesProps, 'chart' | 'start'>): ComponentChild {
  const [open, setOpen] = useState(false);
  return h(
    'details',
    { onToggle: (event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open) },
    h('summary', null, 'Values'),
    open && h('div', { class: 'scroll', tabIndex: 0 }, valuesOf(chart, start)),
  );
}

function valuesOf(chart: ChartOfReport, start: number | null): readonly ComponentChild[] {
  const places = placesOf(chart.series);
  const values = chart.series.map((series) => valuesAt(series, places, chart.categories === null));
  const rows = places
    .slice(0, MOST_ROWS)
    .map((place, index): [string, ...string[]] => [
      placeText(place, chart, start),
      ...values.map((of) => mapOptional(of[index], (value) => valueText(value, chart)) ?? ''),
    ]);
  return [
    pageTable([chart.categories === null ? 'time' : '', ...chart.series.map(({ name }) => name)], rows),
    places.length > rows.length && h('p', { class: 'faint' }, `and ${places.length - rows.length} more`),
  ];
}

const placeText = (place: number, { categories }: ChartOfReport, start: number | null): string =>
  categories === null ? timeText(place, start) : (categories[place] ?? '');

const valueText = (value: number, { unit }: ChartOfReport): string =>
  unit === 'count' ? String(value) : `$${value.toFixed(3)}`;

const placesOf = (series: readonly SeriesOfReport[]): readonly number[] =>
  [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);

/** The value of a series at each place: over time the last one before it. */
function valuesAt({ points }: SeriesOfReport, places: readonly number[], lasts: boolean): readonly (number | null)[] {
  let next = 0;
  let value: number | null = null;
  return places.map((place) => {
    let here = false;
    for (let point = points[next]; point !== undefined && point[0] <= place; point = points[next]) {
      value = point[1];
      here = point[0] === place;
      next += 1;
    }
    return lasts || here ? value : null;
  });
}

/** How lines are drawn: the first is filled, and where lines are not stacked it is behind the lines of the others. */
const LINES = {
  steps: { borderWidth: 2, fillOfOthers: false, orderOfFirst: 1 },
  stacked: { borderWidth: 1, fillOfOthers: '-1', orderOfFirst: 0 },
} as const;

function configOf(chart: ChartOfReport, start: number | null, theme: Theme): ChartConfiguration<'line' | 'bar'> {
  const { kind, categories, series } = chart;
  const places = placesOf(series);
  return {
    type: kind === 'bars' ? 'bar' : 'line',
    data: {
      labels: [...(categories ?? [])],
      datasets: series.map((one, index) => {
        const color = theme.tones(one.tone);
        const values = valuesAt(one, places, categories === null);
        const data = places.map((x, at) => ({ x, y: values[at] ?? null }));
        if (kind === 'bars') {
          return { label: one.name, data: values as number[], backgroundColor: color, maxBarThickness: 40 };
        }
        const { borderWidth, fillOfOthers, orderOfFirst } = LINES[kind];
        return {
          label: one.name,
          data,
          stepped: 'before' as const,
          borderColor: color,
          backgroundColor: `${color}b0`,
          borderWidth,
          pointRadius: 0,
          pointHitRadius: 8,
          order: index === 0 ? orderOfFirst : 0,
          fill: index === 0 ? 'origin' : fillOfOthers,
        };
      }),
    },
    options: {
      normalized: true,
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: categories === null ? timeAxis(places, start) : { type: 'category', ticks: { maxRotation: 30 } },
        y: {
          beginAtZero: true,
          stacked: kind === 'stacked',
          ticks: {
            precision: chart.unit === 'count' ? 0 : undefined,
            callback: (value) => (chart.unit === 'count' ? value : `$${Number(value).toFixed(2)}`),
          },
        },
      },
      plugins: {
        legend: {
          display: series.length > 1,
          labels: { boxWidth: 12, sort: (a, b) => (a.datasetIndex ?? 0) - (b.datasetIndex ?? 0) },
        },
        tooltip: {
          callbacks: {
            title: ([item]: TooltipItem<'line' | 'bar'>[]) =>
              mapOptional(item, ({ dataIndex }) => placeText(places[dataIndex] ?? 0, chart, start)) ?? '',
            label: ({ dataset, parsed }: TooltipItem<'line' | 'bar'>) =>
              `${dataset.label ?? ''}: ${valueText(parsed.y ?? 0, chart)}`,
          },
        },
      },
    },
  };
}

/** The axis of a chart over time. */
const timeAxis = (places: readonly number[], start: number | null) => ({
  type: 'linear' as const,
  min: places[0] ?? 0,
  max: places.at(-1) ?? 1,
  ticks: timeTicks((places.at(-1) ?? 1) - (places[0] ?? 0), start),
});
