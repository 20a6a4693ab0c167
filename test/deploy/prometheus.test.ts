import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createExposition } from '../../cli/local/endpoint/metrics.ts';
import { COUNTED, PROMETHEUS_METRICS } from '../../cli/local/endpoint/metric-names.ts';

const folder = path.join(import.meta.dirname, '../../deploy/prometheus');
const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const rules = (
  parse(read('rules.yaml')) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('dashboard.json')) as Dashboard;

/** The expressions of alerts and panels, each with the text that shows labels. */
const QUERIES: readonly (readonly [name: string, expression: string, text: string])[] = [
  ...rules.map(({ alert, expr, annotations }) => [alert, expr, annotations['description'] ?? ''] as const),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => [`${title}: ${legendFormat}`, expr, legendFormat] as const),
  ),
];

/** Labels of the scraped target, which Prometheus adds. */
const SCRAPED = ['job', 'instance'];

/** Metrics in an expression, with their label matchers. */
const selectorsIn = (expression: string) =>
  [...expression.matchAll(/\b((?:cluster_autoscaler|outrigger)_\w+)(?:\{(.*?)\})?/g)].map(([, series, matchers]) => {
    const metric = Object.keys(PROMETHEUS_METRICS).includes(series!)
      ? series!
      : series!.replace(/_(?:bucket|sum|count)$/, '');
    return {
      metric: metric as keyof typeof PROMETHEUS_METRICS,
      isBucket: series!.endsWith('_bucket'),
      matchers: [...(matchers ?? '').matchAll(/(\w+)=~?"(.*?)"/g)].map(([, label, value]) => [label!, value!] as const),
    };
  });

/** Labels that are kept, joined by, or shown. */
const labelsNamed = (expression: string, text: string): readonly string[] => [
  ...[...expression.matchAll(/\b(?:by|on) \((.*?)\)/g)].flatMap(([, list]) => list!.split(', ')),
  ...[...text.matchAll(/\{\{\s*\$labels\.(\w+)|\{\{(\w+)\}\}/g)].map(([, inAlert, inLegend]) => inAlert ?? inLegend!),
];

describe.each(QUERIES)('%s', (_, expression, text) => {
  const selectors = selectorsIn(expression);

  it('asks for metrics that are served', () => {
    expect(selectors.length).toBeGreaterThan(0);
    expect(Object.keys(PROMETHEUS_METRICS)).toEqual(expect.arrayContaining(selectors.map(({ metric }) => metric)));
    for (const { metric, isBucket } of selectors) {
      expect(isBucket).toBe(PROMETHEUS_METRICS[metric].type === 'histogram');
    }
  });

  it('asks for labels that the metrics have', () => {
    const of = selectors.flatMap(({ metric, isBucket }) => [
      ...PROMETHEUS_METRICS[metric].labels,
      ...(isBucket ? ['le'] : []),
    ]);
    expect([...of, ...SCRAPED]).toEqual(expect.arrayContaining([...labelsNamed(expression, text)]));
    for (const { metric, matchers } of selectors) {
      expect([...PROMETHEUS_METRICS[metric].labels, ...SCRAPED]).toEqual(
        expect.arrayContaining(matchers.map(([label]) => label)),
      );
    }
  });

  it('asks for values of labels that are served', async () => {
    const { metrics, onInvocation, text: served } = createExposition(false);
    Object.keys(COUNTED).forEach((name) => metrics.count(name as Parameters<typeof metrics.count>[0], 1));
    metrics.milliseconds('PendingToDecisionMs', 1);
    metrics.milliseconds('DrainTime', 1);
    onInvocation('scale-up', 1, 0);
    const lines = (await served()).split('\n');
    const asked = selectors.flatMap(({ metric, matchers }) =>
      matchers
        .filter(([label]) => !SCRAPED.includes(label))
        .flatMap(([label, value]) => value.split('|').map((each) => ({ metric, pair: `${label}="${each}"` }))),
    );
    const missing = asked.filter(
      ({ metric, pair }) => !lines.some((line) => line.startsWith(metric) && line.includes(pair)),
    );
    expect(missing).toEqual([]);
  });
});

it('each alert has a name of its own, a severity and a text', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { labels, annotations } of rules) {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(Object.keys(annotations)).toEqual(['summary', 'description']);
  }
});
