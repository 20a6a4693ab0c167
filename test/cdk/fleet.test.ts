import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { OutriggerStack } from '../../cdk/cluster-stack.ts';
import { FleetStack } from '../../cdk/fleet-stack.ts';
import { readClusters } from '../../cdk/settings.ts';
import { METRICS } from '../../core/model/metrics.ts';
import { bundles } from './stack-for.ts';

it('the dashboard of all clusters searches for metrics that the functions publish, and is the only resource', () => {
  const template = Template.fromStack(new FleetStack(new App(), 'OutriggerFleet', {}));
  const resources = Object.values(template.toJSON()['Resources'] as Record<string, { readonly Type: string }>);
  expect(resources.map(({ Type }) => Type)).toEqual(['AWS::CloudWatch::Dashboard']);
  const searches = [...JSON.stringify(resources).matchAll(/MetricName=\W+(\w+)\W+service=\W+([\w-]+)/g)];
  expect(searches.length).toBe(7);
  for (const [, metric, service] of searches) {
    expect(METRICS).toHaveProperty(metric!, expect.objectContaining({ of: expect.arrayContaining([service]) }));
  }
});

it('the stacks of several clusters share their bundles', () => {
  const outdir = mkdtempSync(path.join(tmpdir(), 'outrigger-fleet-'));
  try {
    const app = new App({ outdir, builtinCloudFormationValidation: false });
    for (const cluster of readClusters([{ name: 'a' }, { name: 'b' }, { name: 'c' }])) {
      new OutriggerStack(app, `Outrigger-${cluster.name}`, { cluster, bundles });
    }
    app.synth();
    const bundled = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
    // Ingest, Wake, ScaleUp, ScaleDown, Drain, Actuate and Widget.
    expect(bundled).toHaveLength(7);
  } finally {
    rmSync(outdir, { recursive: true });
  }
});
