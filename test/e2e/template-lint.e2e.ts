import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { expect, test } from 'vitest';
import { capabilitiesOf } from '../../providers/schema/regions.ts';
import { releaseTemplate } from '../../scripts/release/template.ts';
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

/** Regions by which the defaults of a template differ: with function URLs, without, and outside the partition `aws`. */
const REGIONS = ['eu-west-1', 'ca-west-1', 'us-gov-west-1', 'cn-north-1'] as const;

const files = SETTINGS.map((settings) => synthesize({ name: 'web', ...settings }, bundles).file);
const regional = REGIONS.map((region) => ({
  region,
  file: synthesize({ name: 'web', mode: 'act', region }, bundles).file,
}));

async function python(...args: readonly string[]): Promise<string> {
  const { moto } = await ensureServers(['moto']);
  const { stdout } = await promisify(execFile)(path.join(moto, 'bin/python'), [...args], { maxBuffer: 2 ** 24 });
  return stdout;
}

/** Output of the linter for templates in these regions: nothing where it finds nothing. */
async function findingsIn(templates: readonly string[], regions: readonly string[]): Promise<string> {
  const { moto } = await ensureServers(['moto']);
  // The environment was moved after it was made, and what its commands begin with names the former place.
  const program = path.join(moto, 'bin/cfn-lint');
  return await python(program, '--ignore-checks', IGNORED, '--regions', ...regions, '--', ...templates).catch(
    (error: unknown) => String((error as { readonly stdout?: string }).stdout ?? error),
  );
}

test('CloudFormation’s linter finds nothing', async () => {
  expect(await findingsIn(files, ['us-east-1'])).toBe('');
});

test('CloudFormation’s linter finds nothing in the template of a release', async () => {
  const file = `${files[0]!}.release.json`;
  await writeFile(file, JSON.stringify(releaseTemplate('0.1.0', bundles).template));
  expect(await findingsIn([file], ['us-east-1'])).toBe('');
});

test('CloudFormation’s linter finds nothing in any region, with the defaults of the region', async () => {
  const all = (await python('-c', 'from cfnlint.helpers import REGIONS; print(*REGIONS)')).trim().split(' ');
  expect(all.length).toBeGreaterThan(30);
  for (const { region, file } of regional) {
    const alike = all.filter((one) => isDeepStrictEqual(capabilitiesOf(one), capabilitiesOf(region)));
    expect(alike).toContain(region);
    expect(await findingsIn([file], alike)).toBe('');
  }
});

test('the linter knows which regions have what, and which actions IAM has', async () => {
  expect(await findingsIn([regional[0]!.file], ['ca-west-1'])).toContain('AWS::Lambda::Url');
  const misspelt = `${regional[0]!.file}.misspelt.json`;
  const template = await readFile(regional[0]!.file, 'utf8');
  await writeFile(misspelt, template.replace('"dynamodb:Query"', '"dynamodb:Qery"'));
  expect(await findingsIn([misspelt], ['us-east-1'])).toContain("'qery' is not one of");
});
