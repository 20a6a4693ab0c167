import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { outriggerProgram } from '../../cli/program.ts';
import { EXIT_CODES } from '../../cli/exit-codes.ts';
import { withExitCodes } from '../../scripts/docs/exit-codes.ts';
import { inEmptyFolder } from './in-empty-folder.ts';
import { liveCluster } from './live-cluster.ts';
import { outrigger } from './outrigger.ts';

const root = path.join(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/exit-codes.md'), 'utf8');

/** Runs an example in a process of its own. */
function started(args: readonly string[]): ChildProcess {
  const env = { ...process.env, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  return spawn(process.execPath, [path.join(root, 'cli/main.ts'), ...args], { env, stdio: 'ignore' });
}

/** Runs an example on a cluster with a node group below its minimum. */
async function onLiveCluster(args: readonly string[]): Promise<number> {
  const { flags } = await liveCluster();
  const { kubeconfig, options, awsEndpoint } = flags;
  const more = ['--kubeconfig', kubeconfig, '--options', options, '--aws-endpoint', awsEndpoint];
  const [code] = (await once(started([...args, ...more]), 'exit')) as [number];
  return code;
}

/** Runs an example, and sends it Ctrl+C once it waits for an answer of AWS. */
async function interrupted(args: readonly string[]): Promise<number> {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request');
  const running = started([...args, '--aws-endpoint', `http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const ended = once(running, 'exit');
  await asked;
  running.kill('SIGINT');
  const [code] = (await ended) as [number];
  server.closeAllConnections();
  return code;
}

const alone = async (args: readonly string[]): Promise<number> => (await outrigger(args, { folder: root })).code;

describe('the table of exit codes', () => {
  it.each(EXIT_CODES)('$code, $meaning: outrigger $example', async ({ code, example }) => {
    const args = example.split(' ');
    const run = { 130: interrupted }[code] ?? (example.includes('--detailed-exitcode') ? onLiveCluster : alone);
    expect(await run(args)).toBe(code);
  });

  it('is in docs/exit-codes.md', () => {
    expect(page).toContain('written by `npm run docs`');
    expect(withExitCodes(page)).toBe(page);
  });

  it('is in the help of the program', async () => {
    let help = '';
    const program = await outriggerProgram('schema');
    program.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
    expect(EXIT_CODES.filter(({ meaning }) => !help.includes(meaning))).toEqual([]);
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('without a region', () => {
  const { run } = inEmptyFolder();

  it.each([
    ['status'],
    ['explain', 'pod', 'web-1'],
    ['explain', 'pod', 'web-1', '--since', '1h'],
    ['history'],
    ['compare'],
    ['replay', '1234'],
    ['backtest'],
    ['advise'],
    ['node-cost'],
    ['pause'],
    ['resume'],
    ['planned-placement'],
    ['exporter'],
    ['snapshot'],
    ['install', '--dry-run'],
    ['uninstall', '--dry-run'],
  ])('outrigger %s ends with 2', async (...command) => {
    const { code, stderr } = await run(...command, '--cluster', 'prod');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('No region is given: pass --region') });
  });
});
