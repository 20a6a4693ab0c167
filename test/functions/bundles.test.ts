import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);
const node = async (args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> =>
  (await execute(process.execPath, args, { env })).stdout;
let bundles = '';

beforeAll(async () => {
  bundles = await mkdtemp(path.join(tmpdir(), 'outrigger-bundles-'));
  await node([path.join(root, 'scripts/build.ts'), bundles]);
});

afterAll(async () => {
  await rm(bundles, { recursive: true, force: true });
});

/** What the stack sets, and what Lambda itself does. */
const environment = {
  AWS_REGION: 'eu-central-1',
  OUTRIGGER_CLUSTER: 'web',
  OUTRIGGER_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/wake-ups.fifo',
  OUTRIGGER_TABLE: 'outrigger',
  OUTRIGGER_OPTIONS: '{"scaleDownUnneededTime": "5m"}',
  OUTRIGGER_TOKEN_SECRET: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:token',
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
  expect((await readdir(bundles)).toSorted()).toEqual(['actuate', 'drain', 'ingest', 'scale-up', 'wake']);
});

it.each(['actuate', 'drain', 'ingest', 'scale-up', 'wake'])(
  '%s starts without I/O and exports its handler',
  async (name) => {
    expect(await exportsOf(name, environment)).toBe('function');
  },
);

it('says which part of the environment is missing, and no value', async () => {
  const { OUTRIGGER_TABLE: _, ...incomplete } = environment;
  await expect(exportsOf('scale-up', incomplete)).rejects.toThrow(/OUTRIGGER_TABLE/);
});

it('does not start with options that are wrong', async () => {
  const wrong = { ...environment, OUTRIGGER_OPTIONS: '{"scaleDownUnneededTme": "5m"}' };
  await expect(exportsOf('scale-up', wrong)).rejects.toThrow(/scaleDownUnneededTme/);
});
