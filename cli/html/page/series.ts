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
    chart.series.length === 0
      ? null
      : [
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
  const places = placesOf(chart.series);
  const rows = open ? places.slice(0, MOST_ROWS) : [];
  const values = chart.series.map((series) => valuesAt(series, places, chart.categories === null));
  const heading = chart.categories === null ? 'time' : '';
  const more =
    places.length > rows.length ? h('p', { class: 'faint' }, `and ${places.length - rows.length} more`) : null;
  return h(
    'details',
    { onToggle: (event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open) },
    h('summary', null, 'Values'),
    open
      ? h(
          'div',
          { class: 'scroll', tabIndex: 0 },
          pageTable(
            [heading, ...chart.series.map(({ name }) => name)],
            rows.map((place, index) => [
              placeText(place, chart, start),
              ...values.map((of) => (typeof of[index] === 'number' ? valueText(of[index], chart) : '')),
            ]),
          ),
          more,
        )
      : null,
  );
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
        const fillOfOthers = kind === 'stacked' ? '-1' : false;
        return {
          label: one.name,
          data,
          stepped: 'before' as const,
          borderColor: color,
          backgroundColor: `${color}b0`,
          borderWidth: kind === 'stacked' ? 1 : 2,
          pointRadius: 0,
          pointHitRadius: 8,
          // The filled one is behind the lines of the others.
          order: kind === 'steps' && index === 0 ? 1 : 0,
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
              item === undefined ? '' : placeText(places[item.dataIndex] ?? 0, chart, start),
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
