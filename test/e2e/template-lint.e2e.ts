import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundles } from '../cdk/stack-for.ts';
import { ensureServers } from './servers/cache.ts';
import { synthesize } from './template/synthesize.ts';

/** Settings that make the templates that differ most. */
const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const SETTINGS: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { mode: 'act' },
  { webhook: 'httpApi' },
  { webhook: 'none' },
  {
    webhookTokenHashes: ['0'.repeat(64)],
    flowSchema: true,
    alarmTopicArn: 'arn:aws:sns:us-east-1:123456789012:alarms',
  },
  { mode: 'act', options: { expander: 'price' }, tracing: true, size: 'large', reservedConcurrency: 5, kmsKeyArn: KEY },
];

/** The CDK makes functions wait for their roles, which they name besides. */
const IGNORED = 'W3005';

const files = SETTINGS.map((settings) => synthesize({ name: 'web', ...settings }, bundles).file);

test('CloudFormation’s linter finds nothing', async () => {
  const { moto } = await ensureServers(['moto']);
  // The environment was moved after it was made, and what its commands begin with names the former place.
  const program = [path.join(moto, 'bin/cfn-lint'), '--ignore-checks', IGNORED, '--', ...files];
  const linted = await promisify(execFile)(path.join(moto, 'bin/python'), program).catch((error: unknown) => error);
  expect(linted).toMatchObject({ stdout: '' });
  expect(linted).not.toBeInstanceOf(Error);
});
