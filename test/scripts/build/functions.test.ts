import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectionHash } from '../../../scripts/build/projection.ts';
import { FUNCTIONS, maxBundleBytes } from '../../bench/cold/goals.ts';
import { awsStandIn, type Call } from '../../providers/aws/aws-stand-in.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const execute = promisify(execFile);
let folder = '';
/** Processes share compiled code. */
const node = async (args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> =>
  (await execute(process.execPath, args, { env: { ...env, NODE_COMPILE_CACHE: path.join(folder, 'compiled') } }))
    .stdout;
let bundles = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'outrigger-bundles-'));
  bundles = path.join(folder, 'functions');
  await node([path.join(root, 'scripts/build.ts'), '--outdir', folder, 'functions']);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Variables that the stack sets, and Lambda itself. */
const environment = {
  AWS_REGION: 'eu-central-1',
  OUTRIGGER_CLUSTER: 'web',
  OUTRIGGER_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/wake-ups.fifo',
  OUTRIGGER_TABLE: 'outrigger',
  OUTRIGGER_OPTIONS: '{"scaleDownUnneededTime": "5m"}',
  OUTRIGGER_DRY_RUN: 'false',
  OUTRIGGER_DRAIN_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/drains',
  OUTRIGGER_SCALE_DOWN_FUNCTION: 'arn:aws:lambda:eu-central-1:123456789012:function:scale-down',
  OUTRIGGER_TOKEN_HASHES: hash('sha256', 'token'),
  OUTRIGGER_STACK: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/Outrigger-web/1',
  OUTRIGGER_MANIFESTS: hash('sha256', 'manifests'),
};

const exportsOf = async (name: string, env: Readonly<Record<string, string>>): Promise<string> => {
  const url = new URL(`file://${bundles}/${name}/index.mjs`);
  // Node itself would show the line that threw, which in a bundle is all of it.
  const program = `import(${JSON.stringify(url)}).then(
    ({ handler }) => console.log(typeof handler),
    (error) => { console.error(error.message); process.exitCode = 1; },
  )`;
  return (await node(['--eval', program], env)).trim();
};

it('has a bundle for each function', async () => {
  expect((await readdir(bundles)).toSorted()).toEqual(FUNCTIONS);
});

it('marks snapshots of cached lists by the code that reads objects, which is the same for both evaluations', async () => {
  const hash = await projectionHash();
  for (const name of ['scale-up', 'scale-down']) {
    const code = await readFile(path.join(bundles, name, 'index.mjs'), 'utf8');
    expect(code).toContain(`"${hash}"`);
    expect(code).not.toContain('OUTRIGGER_PROJECTION');
  }
});

// The others are called below.
it.each(['drain', 'manifests', 'scale-down', 'scale-up'])(
  '%s starts without I/O and exports its handler',
  async (name) => {
    expect(await exportsOf(name, environment)).toBe('function');
  },
);

it.each(FUNCTIONS)('%s is as small as its cold start needs', async (name) => {
  const { size } = await stat(path.join(bundles, name, 'index.mjs'));
  expect(size).toBeLessThanOrEqual(maxBundleBytes(name));
});

it('what reads documents has neither the languages of zod nor the shapes of EC2 that are not asked for', async () => {
  const bundle = await readFile(path.join(bundles, 'scale-up', 'index.mjs'), 'utf8');
  expect(bundle).toContain('DescribeImagesRequest');
  // An operation of EC2 that is not called, and a message of zod in Spanish.
  expect(bundle).not.toMatch(/AcceptAddressTransferRequest|AddressTransferAccountId|Entrada inválida/);
});

/**
 * Runs a bundle's handler with one event after the other, AWS being a server of this test's.
 *
 * @returns what it was asked for, in order
 */
async function callsOf(
  name: string,
  events: readonly object[],
  extra: Readonly<Record<string, string>> = {},
): Promise<readonly Call[]> {
  const { calls, settings } = await awsStandIn(({ input }) => ({
    body: { MD5OfMessageBody: hash('md5', String(input['MessageBody'])) },
  }));
  const url = new URL(`file://${bundles}/${name}/index.mjs`);
  const context = { functionName: name, awsRequestId: '1', invokedFunctionArn: 'arn', memoryLimitInMB: '256' };
  const program = `import(${JSON.stringify(url)})
    .then(async ({ handler }) => {
      for (const event of ${JSON.stringify(events)}) {
        await handler(event, { ...${JSON.stringify(context)}, getRemainingTimeInMillis: () => 10_000 });
      }
    })
    .then(() => process.exit(0), (error) => { console.error(error); process.exit(1); })`;
  await node(['--eval', program], {
    ...environment,
    OUTRIGGER_QUEUE_URL: `${settings.endpoint}/123456789012/wake-ups.fifo`,
    AWS_ENDPOINT_URL: settings.endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    ...extra,
  });
  return calls;
}

const WAKE_UP = {
  action: 'AmazonSQS.SendMessage',
  input: expect.objectContaining({ MessageGroupId: 'web', MessageBody: expect.stringMatching(/^{"cluster":"web"/) }),
};

describe('ingest', () => {
  const event = { rawPath: '/token/web', body: '{}', isBase64Encoded: false };
  const hashes = (...tokens: readonly string[]) => ({
    OUTRIGGER_TOKEN_HASHES: tokens.map((token) => hash('sha256', token)).join(','),
  });

  it('wakes the cluster that the webhook names, and asks nobody about the token', async () => {
    expect(await callsOf('ingest', [{ ...event, rawPath: '/other/web' }, event])).toEqual([WAKE_UP]);
  });

  it('accepts both tokens while one is being rotated, and none where it knows none', async () => {
    for (const hashesOfTwo of [hashes('token', 'other'), hashes('other', 'token')]) {
      expect(await callsOf('ingest', [event], hashesOfTwo)).toEqual([WAKE_UP]);
    }
    expect(await callsOf('ingest', [event], hashes())).toEqual([]);
  });

  it('does not start with a token in the place of its hash, and does not say it', async () => {
    const start = exportsOf('ingest', { ...environment, OUTRIGGER_TOKEN_HASHES: 'my-token' });
    await expect(start).rejects.toThrow(/OUTRIGGER_TOKEN_HASHES/);
    await expect(start).rejects.not.toThrow(/expected.*my-token/);
  });
});

it('wake wakes the cluster', async () => {
  const event = {
    id: '1e5527d7-bb36-4607-3370-4164db56a40e',
    source: 'aws.autoscaling',
    'detail-type': 'EC2 Instance Launch Unsuccessful',
    region: environment.AWS_REGION,
    detail: { AutoScalingGroupName: 'web-a', StatusCode: 'Failed' },
  };
  expect(await callsOf('wake', [event])).toEqual([WAKE_UP]);
});

it('actuate takes up what was left behind, in the table that it is given', async () => {
  const calls = await callsOf('actuate', [{ resume: 'web' }]);
  expect(calls.map(({ action }) => action)).toContain('DynamoDB_20120810.Query');
  expect(new Set(calls.map(({ input }) => input['TableName']))).toEqual(new Set(['outrigger']));
});

it('widget reads the table that it is given, and calls nothing else', async () => {
  const calls = await callsOf('widget', [{}]);
  expect(new Set(calls.map(({ action }) => action))).toEqual(new Set(['DynamoDB_20120810.Query']));
  expect(new Set(calls.map(({ input }) => input['TableName']))).toEqual(new Set(['outrigger']));
});

it('actuate does nothing in a dry run', async () => {
  expect(await callsOf('actuate', [{ resume: 'web' }], { OUTRIGGER_DRY_RUN: 'true' })).toEqual([]);
});

it('says which part of the environment is missing, and no value', async () => {
  const { OUTRIGGER_TABLE: _, ...incomplete } = environment;
  await expect(exportsOf('scale-up', incomplete)).rejects.toThrow(/OUTRIGGER_TABLE/);
});

it('does not start with options that are wrong', async () => {
  const wrong = { ...environment, OUTRIGGER_OPTIONS: '{"scaleDownUnneededTme": "5m"}' };
  await expect(exportsOf('scale-up', wrong)).rejects.toThrow(/scaleDownUnneededTme/);
});
