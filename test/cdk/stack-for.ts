import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { OutriggerStack } from '../../cdk/cluster-stack.ts';
import { readClusters } from '../../cdk/settings.ts';

/** Stand-ins for the bundles: what is in them does not matter to a template. */
export const bundles = mkdtempSync(path.join(tmpdir(), 'outrigger-cdk-'));
for (const name of ['ingest', 'wake', 'scale-up', 'scale-down', 'actuate', 'drain', 'manifests', 'widget']) {
  mkdirSync(path.join(bundles, name));
  writeFileSync(path.join(bundles, name, 'index.mjs'), `export const handler = () => '${name}';\n`);
}
// The files of tests share this module.
process.once('exit', () => rmSync(bundles, { recursive: true, force: true }));

export const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms';

const templates = new Map<string, Template>();

/** The template of `stackFor`, which is synthesized once for all tests with the same settings. */
export function templateFor(settings: object = {}): Template {
  const key = JSON.stringify(settings);
  const template = templates.get(key) ?? Template.fromStack(stackFor(settings));
  templates.set(key, template);
  return template;
}

/** The stack of cluster `web` with these settings, in an app of its own; it acts, unless they say otherwise. */
export function stackFor(settings: object = {}): OutriggerStack {
  const [cluster] = readClusters([{ name: 'web', ...('dryRun' in settings ? {} : { mode: 'act' }), ...settings }]);
  return new OutriggerStack(new App(), 'Outrigger-web', { cluster: cluster!, bundles });
}
