import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OutriggerStack } from '../../../cdk/cluster-stack.ts';
import { readClusters } from '../../../cdk/settings.ts';
import { releaseTemplate } from '../../../scripts/release/template.ts';
import { bundles, TOPIC } from '../../cdk/stack-for.ts';
import { resolver } from '../../e2e/template/resolve.ts';
import type { Resource, Template } from '../../e2e/template/synthesize.ts';

type Entry = Resource & { readonly Condition?: string; readonly DependsOn?: readonly string[] };

interface Parameter {
  readonly Default?: string;
  readonly AllowedValues?: readonly string[];
}

const OPTIONS = { scaleDownUnneededTime: '5m', expander: ['price'] };

/** CloudFormation's limit for a template in a bucket is 1 MB; it was 460,800 bytes before. */
const MOST_BYTES = 460_800;

let released: Template;

beforeAll(() => {
  // The validation takes most of a synthesis.
  vi.stubEnv('CDK_VALIDATION', 'false');
  released = releaseTemplate('1.2.3', bundles).template as unknown as Template;
});

afterAll(() => vi.unstubAllEnvs());

/** The template that the CDK makes with these settings. */
function synthesized(settings: object): Template {
  const { context } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../../cdk.json'), 'utf8')) as {
    readonly context: Readonly<Record<string, unknown>>;
  };
  const app = new App({ analyticsReporting: false, postCliContext: { ...context } });
  const [cluster] = readClusters([{ name: 'web-1', options: OPTIONS, ...settings }]);
  const stack = new OutriggerStack(app, 'Outrigger', { cluster: cluster!, bundles });
  return app.synth().getStackByName(stack.stackName).template as Template;
}

/** Properties with policies as objects, and without empty lists, which are the same as none to CloudFormation. */
function plain(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { PolicyDocument: policy } = properties;
  const parsed = typeof policy === 'string' ? { PolicyDocument: JSON.parse(policy) as unknown } : {};
  return Object.fromEntries(
    Object.entries({ ...properties, ...parsed }).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  );
}

/** Resources and outputs as CloudFormation makes them with these parameters. */
function deployed(template: Template, parameters: Readonly<Record<string, string>> = {}) {
  const resolve = resolver(template, {
    account: '123456789012',
    region: 'eu-west-1',
    stack: 'Outrigger-web-1',
    parameters,
    attribute: (id, _, name) => `${id}.${name}`,
  });
  const present = (entries: Readonly<Record<string, object>>) =>
    Object.entries(entries as Readonly<Record<string, Entry>>).filter(
      ([, { Condition: condition }]) => condition === undefined || resolve({ Condition: condition }) === true,
    );
  const resources = present(template.Resources).filter(([id]) => id !== 'CDKMetadata');
  const ids = new Set(resources.map(([id]) => id));
  return {
    resources: Object.fromEntries(
      resources.map(([id, { Type, Properties, DependsOn = [] }]) => {
        const properties = plain(resolve(Properties ?? {}) as Readonly<Record<string, unknown>>);
        return [
          id,
          {
            Type,
            properties,
            dependsOn: [DependsOn]
              .flat()
              .filter((one) => ids.has(one))
              .toSorted(),
          },
        ];
      }),
    ),
    outputs: Object.fromEntries(
      present(template.Outputs ?? {}).map(([id, output]) => [id, resolve((output as { Value?: unknown }).Value)]),
    ),
  };
}

/** Parameters that have the code in the bucket and under the names of the CDK. */
const SAME = {
  ClusterName: 'web-1',
  CodeBucket: 'cdk-hnb659fds-assets-123456789012-eu-west-1',
  Options: JSON.stringify(OPTIONS),
};

describe('the template of a release', () => {
  it.each([
    ['observes', {}, {}],
    ['acts', { Mode: 'act' }, { mode: 'act' }],
    ['acts with an HTTP API', { Mode: 'act', WebhookEndpoint: 'httpApi' }, { mode: 'act', webhook: 'httpApi' }],
    ['observes with an HTTP API', { WebhookEndpoint: 'httpApi' }, { webhook: 'httpApi' }],
    ['is small', { Size: 'small' }, { size: 'small' }],
    ['is large and acts', { Size: 'large', Mode: 'act' }, { size: 'large', mode: 'act' }],
    ['has a topic', { AlarmTopicArn: TOPIC }, { alarmTopicArn: TOPIC }],
    ['has tokens', { WebhookTokenHashes: 'a'.repeat(64) }, {}],
    ['is paused', { Schedules: 'DISABLED' }, {}],
  ])('makes what the CDK makes where it %s', (_, parameters, settings) => {
    const { resources, outputs: all } = deployed(synthesized(settings), parameters);
    const { Rbac: _rbac, ...outputs } = all;
    const ofRelease = deployed(released, { ...SAME, ...parameters });
    expect(ofRelease.resources).toEqual(resources);
    expect(ofRelease.outputs).toEqual(outputs);
  });

  it('names its code by bucket and prefix', () => {
    const { resources } = deployed(released, { ...SAME, CodeBucket: 'mine', CodePrefix: 'outrigger/1.2.3/' });
    const code = Object.values(resources).flatMap(({ properties }) => properties['Code'] ?? []);
    expect(code).toHaveLength(7);
    for (const one of code) {
      expect(one).toEqual({
        S3Bucket: 'mine',
        S3Key: expect.stringMatching(/^outrigger\/1\.2\.3\/[0-9a-f]{64}\.zip$/) as string,
      });
    }
  });

  it('has the parameters that the Terraform module sets, with their values and defaults', () => {
    const module = (file: string): string =>
      readFileSync(path.join(import.meta.dirname, '../../../deploy/terraform', file), 'utf8');
    const [, block] = /^ {2}parameters = \{\n([\s\S]*?)^ {2}\}/m.exec(module('main.tf'))!;
    const set = Object.fromEntries(
      [...block!.matchAll(/^ {4}(\w+) += (.+)$/gm)].map(([, name, value]) => [name!, value!]),
    );
    const parameters = (released.Parameters ?? {}) as Readonly<Record<string, Parameter>>;
    expect(Object.keys(set).toSorted()).toEqual(Object.keys(parameters).toSorted());
    // Parameters that are the value of a variable as it is.
    for (const [name, value] of Object.entries(set).filter(([, each]) => /^var\.\w+$/.test(each))) {
      const { Default, AllowedValues } = parameters[name]!;
      const [, variable] = new RegExp(
        String.raw`^variable "${value.slice('var.'.length)}" \{\n([\s\S]*?)^\}`,
        'm',
      ).exec(module('variables.tf'))!;
      expect(/^ {2}default += "(.*)"$/m.exec(variable!)?.[1]).toBe(Default);
      const values = /contains\((\[.*?\])/.exec(variable!)?.[1];
      expect(values === undefined ? undefined : JSON.parse(values)).toEqual(AllowedValues);
    }
  });

  it('needs no bootstrapped account, and fits the limits of CloudFormation', () => {
    const text = JSON.stringify(released, null, 1);
    expect(text).not.toMatch(/bootstrap|outrigger-(?:code|cluster|alarm)-/i);
    expect(text.length).toBeLessThan(MOST_BYTES);
    expect((released as unknown as { readonly Description: string }).Description.length).toBeLessThan(1_024);
    expect(Object.keys(released.Outputs ?? {}).length).toBeLessThan(200);
  });
});
