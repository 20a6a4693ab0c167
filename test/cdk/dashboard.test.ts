import { describe, expect, it } from 'vitest';
import { wrongQuery } from '../../scripts/docs-check/queries.ts';
import { templateFor } from './stack-for.ts';

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly query?: string;
    readonly endpoint?: string;
    readonly updateOn?: object;
    readonly metrics?: readonly (readonly unknown[])[];
  };
}

/** Text in the place of what is known at the deployment alone. */
const text = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : (value as { 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'][1]
        .map((part) =>
          typeof part === 'string'
            ? part
            : Object.values(part as object)
                .flat()
                .join('.'),
        )
        .join('');

function dashboardOf(settings: object = {}) {
  const template = templateFor(settings);
  const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const { DashboardBody, DashboardName } = dashboard!.Properties as Record<string, unknown>;
  return {
    name: text(DashboardName),
    widgets: (JSON.parse(text(DashboardBody)) as { readonly widgets: readonly Widget[] }).widgets,
  };
}

const SNAPSHOTS = { snapshots: true, options: { incrementalReads: true } };

const { name, widgets } = dashboardOf();

/** The functions of a stack, as widgets name them. */
const FUNCTIONS = ['Ingest', 'Wake', 'ScaleUp', 'ScaleDown', 'Drain', 'Actuate'];

describe('the dashboard', () => {
  it('has a name of its own in each region: dashboards of all regions share their names', () => {
    expect(name).toBe('Outrigger-web-AWS::Region');
  });

  it('shows pods, time to capacity, sizes, drains, failures, throttles, evaluation time and cost', () => {
    const titles = widgets.map(({ properties: { title } }) => title ?? '').join('\n');
    for (const part of [
      'Pending pods',
      'Time to capacity',
      'limits of all groups',
      'Upcoming and unneeded nodes',
      'sizes against their limits',
      'Removals',
      'rolled back, by cause',
      'by what has failed',
      'Failures and throttles',
      'Evaluation time',
      'USD per hour',
      'What Outrigger itself costs',
    ]) {
      expect(titles).toContain(part);
    }
  });

  it('has the widget that says why, which is called anew when the dashboard is', () => {
    const [why] = widgets.filter(({ type }) => type === 'custom');
    expect(why!.properties).toMatchObject({ title: 'Why?', endpoint: expect.stringMatching(/^Widget\w+\.Arn$/) });
    expect(why!.properties.updateOn).toMatchObject({ refresh: true });
  });

  it('has queries of fields and messages that the functions write', () => {
    const queries = widgets.flatMap(({ properties: { query } }) => query ?? []);
    expect(queries.length).toBeGreaterThan(6);
    for (const query of queries) {
      expect(wrongQuery(query.replace(/^SOURCE.*?(?=\| *(?:filter|fields))/s, '').replace(/^\|/, ''))).toEqual([]);
    }
  });

  it('draws metrics of its own that the functions publish', () => {
    const own = widgets.flatMap(({ properties: { metrics = [] } }) =>
      metrics.filter(([namespace]) => namespace === 'Outrigger').map(([, metric]) => metric as string),
    );
    expect(own).toEqual(expect.arrayContaining(['PendingPods', 'TimeToCapacityMs', 'NodesRemoved', 'SizesFailed']));
  });

  it.each([{}, SNAPSHOTS])('fits into the grid, no widget over another: %o', (settings) => {
    const all = dashboardOf(settings).widgets;
    for (const one of all) {
      expect(one.x + one.width).toBeLessThanOrEqual(24);
      const over = all.filter(
        (other) =>
          other !== one &&
          one.x < other.x + other.width &&
          other.x < one.x + one.width &&
          one.y < other.y + other.height &&
          other.y < one.y + one.height,
      );
      expect(over).toEqual([]);
    }
  });

  it('shows snapshots where there is a bucket for them: whether they are used, and why not', () => {
    expect(JSON.stringify(widgets)).not.toContain('napshot');
    const drawn = dashboardOf(SNAPSHOTS).widgets.filter(({ properties: { title = '' } }) => /napshots/.test(title));
    expect(drawn.map(({ type }) => type)).toEqual(['metric', 'log']);
    const [{ properties: metrics }, { properties: logs }] = drawn as [Widget, Widget];
    expect(new Set(metrics.metrics!.map(([, metric, , , , service]) => [metric, service].join(' '))))
      .toMatchInlineSnapshot(`
      Set {
        "SnapshotsStored scale-down",
        "SnapshotsUsed scale-up",
        "SnapshotsNotUsed scale-up",
        "SnapshotsUsed scale-down",
        "SnapshotsNotUsed scale-down",
      }
    `);
    expect(wrongQuery(logs.query!.replace(/^SOURCE.*?(?=\| *(?:filter|fields))/s, '').replace(/^\|/, ''))).toEqual([]);
  });

  it('has no webhook function where there is no webhook', () => {
    expect(JSON.stringify(dashboardOf({ webhook: 'none' }).widgets)).not.toContain('Ingest');
  });

  it('shows failures and throttles of each function', () => {
    const [widget] = widgets.filter(({ properties: { title } }) => title === 'Failures and throttles');
    const shown = JSON.stringify(widget!.properties.metrics);
    for (const one of FUNCTIONS) {
      expect(shown).toContain(`"${one} failed"`);
      expect(shown).toContain(`"${one} throttled"`);
    }
  });

  it('is left out, and the function of its widget with it', () => {
    const without = templateFor({ dashboard: false });
    without.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    expect(JSON.stringify(without.toJSON())).not.toContain('Widget');
  });
});

describe('what Outrigger itself costs', () => {
  /** The metrics, by their names in the expression, and the expression. */
  const costOf = (settings: object) => {
    const [widget] = dashboardOf(settings).widgets.filter(
      ({ properties: { title } }) => title === 'What Outrigger itself costs',
    );
    const { metrics = [] } = widget!.properties;
    const expression = metrics.flatMap(([one]) =>
      typeof one === 'object' && one !== null && 'expression' in one ? String(one.expression) : [],
    );
    return { metrics: metrics.map((one) => JSON.stringify(one)), expression: expression.join() };
  };

  it('has the duration and the invocations of each function at list price', () => {
    const { metrics, expression } = costOf({});
    const of = (name: string) => metrics.filter((one) => one.includes(`"AWS/Lambda","${name}"`));
    expect(of('Duration')).toHaveLength(FUNCTIONS.length);
    expect(of('Invocations')).toHaveLength(FUNCTIONS.length);
    FUNCTIONS.forEach((_, i) => expect(expression).toContain(`FILL(i${i}, 0) * ${0.2e-6 * 730}`));
  });

  it.each([
    ['sent', 'NumberOfMessagesSent', 0.5e-6],
    ['received', 'NumberOfMessagesReceived', 0.5e-6],
    ['deleted', 'NumberOfMessagesDeleted', 0.5e-6],
    ['empty', 'NumberOfEmptyReceives', 0.5e-6],
    ['read', 'ConsumedReadCapacityUnits', 0.125e-6],
    ['written', 'ConsumedWriteCapacityUnits', 0.625e-6],
  ])('has %s, the metric %s, at list price', (id, metric, price) => {
    const { metrics, expression } = costOf({});
    expect(metrics.filter((one) => one.includes(`"${metric}"`) && one.includes(`"id":"${id}"`))).toHaveLength(1);
    expect(expression).toContain(`FILL(${id}, 0) * ${price * 730}`);
  });

  it('has the requests for snapshots at list price where there is a bucket for them, and without it none', () => {
    const { metrics, expression } = costOf(SNAPSHOTS);
    // A month of one snapshot a minute, and of one read a minute.
    expect(expression).toContain(`FILL(put, 0) * ${5e-6 * 730}`);
    for (const read of ['used0', 'unused0', 'used1', 'unused1']) {
      expect(expression).toContain(`FILL(${read}, 0) * ${0.4e-6 * 730}`);
    }
    const own = (of: readonly string[]) => of.filter((one) => one.includes('"Outrigger"'));
    expect(own(metrics)).toHaveLength(5);
    own(metrics).forEach((one) => expect(one).toMatch(/"stat":"Sum".*"period":3600|"period":3600.*"stat":"Sum"/));
    expect(own(costOf({}).metrics)).toEqual([]);
  });
});
