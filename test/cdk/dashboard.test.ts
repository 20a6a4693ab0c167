import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { wrongQuery } from '../../scripts/docs-check/queries.ts';
import { stackFor } from './stack-for.ts';

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
  const template = Template.fromStack(stackFor(settings));
  const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const { DashboardBody, DashboardName } = dashboard!.Properties as Record<string, unknown>;
  return {
    name: text(DashboardName),
    widgets: (JSON.parse(text(DashboardBody)) as { readonly widgets: readonly Widget[] }).widgets,
  };
}

const { name, widgets } = dashboardOf();

describe('the dashboard', () => {
  it('has a name of its own in each region: dashboards of all regions share their names', () => {
    expect(name).toBe('Outrigger-web-AWS::Region');
  });

  it('shows pods, time to capacity, sizes, drains, failures, throttles, evaluation time and cost', () => {
    const titles = widgets.map(({ properties: { title } }) => title ?? '').join('\n');
    for (const part of [
      'Pods that wait',
      'Time to capacity',
      'limits of all groups',
      'on their way, and unneeded',
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

  it('fits into the grid, no widget over another', () => {
    for (const one of widgets) {
      expect(one.x + one.width).toBeLessThanOrEqual(24);
      const over = widgets.filter(
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

  it('has no webhook function where there is no webhook', () => {
    expect(JSON.stringify(dashboardOf({ webhook: 'none' }).widgets)).not.toContain('Ingest');
  });

  it('is left out, and the function of its widget with it', () => {
    const without = Template.fromStack(stackFor({ dashboard: false }));
    without.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    expect(JSON.stringify(without.toJSON())).not.toContain('Widget');
  });
});
