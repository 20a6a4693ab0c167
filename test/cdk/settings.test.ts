import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readClusters, readSettings, type StackSettings, stackId, stackName } from '../../cdk/settings.ts';
import { defaultOptions } from '../../core/model/options.ts';
import { readOptions } from '../../providers/scenario/read-options.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'outrigger-settings-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const file = (name: string, text: string): void => writeFileSync(path.join(directory, name), text);

const settings = (context: { readonly config?: unknown; readonly clusters?: unknown } = {}): StackSettings =>
  readSettings({ config: context.config, clusters: context.clusters }, directory);

const withOptions = (text: string): StackSettings => {
  file('outrigger.config.yaml', `clusters:\n- name: web\n${text}`);
  return settings();
};

describe('settings are read from', () => {
  it('outrigger.config.yaml in the directory', () => {
    file('outrigger.config.yaml', 'clusters: [{name: web}]');
    expect(settings().clusters).toMatchObject([{ name: 'web', dryRun: true }]);
  });

  it('the file that the context names', () => {
    file('outrigger.config.yaml', 'clusters: [{name: web}]');
    file('other.yaml', 'clusters: [{name: other, mode: act}]');
    expect(settings({ config: 'other.yaml' }).clusters).toMatchObject([{ name: 'other', dryRun: false }]);
  });

  it('the context itself', () => {
    expect(settings({ clusters: [{ name: 'web', mode: 'act' }, { name: 'b' }] }).clusters).toMatchObject([
      { name: 'web', dryRun: false },
      { name: 'b', dryRun: true },
    ]);
  });

  it('the context rather than the file, which is said', () => {
    file('outrigger.config.yaml', 'clusters: [{name: web}]');
    const read = settings({ clusters: '[{"name":"other"}]' });
    expect(read.clusters).toMatchObject([{ name: 'other' }]);
    expect(read.warnings).toEqual([expect.stringContaining('outrigger.config.yaml is not read')]);
  });

  it.each([
    ['nothing', {}, 'No cluster is configured: write outrigger.config.yaml next to cdk.json'],
    ['both', { config: 'a.yaml', clusters: [] }, 'The context has both config and clusters'],
    ['no file name', { config: 7 }, 'must be the name of a file'],
    ['a file that there is not', { config: 'a.yaml' }, 'a.yaml cannot be read: ENOENT'],
  ])('but not from %s', (_what, context, complaint) => {
    expect(() => settings(context)).toThrow(complaint);
  });
});

describe('options are checked before anything is deployed', () => {
  it('and every mistake has its line', () => {
    expect(() => withOptions('  options:\n    maxNodeTotal: 3\n    scaleDownUnneededTime: "10"')).toThrow(
      [
        'outrigger.config.yaml:4: clusters[0].options.maxNodeTotal: expected a known option (did you mean maxNodesTotal?), found "maxNodeTotal"',
        'outrigger.config.yaml:5: clusters[0].options.scaleDownUnneededTime: expected a duration such as 30s, 10m or 1h30m, or auto, found "10"',
      ].join('\n'),
    );
  });

  it('and are handed to the functions under the names and as the values that they read', () => {
    const { clusters, warnings } = withOptions(
      '  options: {max-nodes-total: "30", ignore-daemonsets-utilization: "true", v: 4}',
    );
    expect(clusters[0]!.options).toEqual({ maxNodesTotal: 30, ignoreDaemonSetsUtilization: true });
    expect(warnings).toEqual([expect.stringContaining('clusters[0].options.v has no effect')]);
  });

  it('and with Cluster Autoscaler’s defaults the functions decide by those', () => {
    const { clusters } = withOptions('  defaults: cluster-autoscaler\n  options: {maxDrainParallelism: 2}');
    expect(readOptions(structuredClone(clusters[0]!.options), 'test')).toEqual({
      ...defaultOptions('cluster-autoscaler'),
      maxDrainParallelism: 2,
    });
  });
});

it('more than fits into the environment of a function is refused, with what to do', () => {
  const nodes = (count: number): string =>
    `  discovery: {nodes: [${Array.from({ length: count }, (_, n) => `"1:10:${'g'.repeat(30)}${n}"`).join(', ')}]}`;
  expect(withOptions(nodes(60)).clusters).toHaveLength(1);
  expect(() => withOptions(nodes(80))).toThrow(
    /^outrigger\.config\.yaml: cluster web: expected .* use discovery\.tags/,
  );
  expect(withOptions('  defaults: cluster-autoscaler').clusters).toHaveLength(1);
});

describe('stacks', () => {
  const idsOf = (...clusters: readonly object[]): readonly string[] => {
    const read = readClusters(clusters);
    return read.map((cluster) => stackId(cluster, read));
  };

  it('are called after their cluster', () => {
    expect(idsOf({ name: 'web' }, { name: 'Team_A' })).toEqual(['Outrigger-web', 'Outrigger-Team-A']);
  });

  it('of one name in two places are told apart by the place, and keep their names there', () => {
    const clusters = ['eu-west-1', 'us-east-1'].map((region) => ({ name: 'web', region }));
    expect(idsOf(...clusters)).toEqual(['Outrigger-web-eu-west-1', 'Outrigger-web-us-east-1']);
    expect(readClusters(clusters).map(stackName)).toEqual(['Outrigger-web', 'Outrigger-web']);
  });

  it('that would replace each other are refused', () => {
    expect(() => idsOf({ name: 'a-b' }, { name: 'a_b' })).toThrow('another cluster');
  });
});

it('the app says what is wrong, without a stack trace', async () => {
  file('outrigger.config.yaml', 'clusters: [{nam: web}]');
  const app = path.join(import.meta.dirname, '../../cdk/app.ts');
  const failure: unknown = await promisify(execFile)(process.execPath, [app], { cwd: directory }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^outrigger\.config\.yaml:1: .*\n.*name.*\n$/),
  });
});
