/**
 * `npm run aws-models`: runs the tests that call AWS on stand-ins, and holds each request of theirs and each answer of a stand-in to
 * the model of its service in botocore: operations, members, types, enumerations, patterns, lengths. Ends with 1 where one is wrong,
 * or a test fails.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureServers } from '../e2e/servers/cache.ts';

/** The folders whose tests call AWS. */
const CALLERS = [
  'test/providers/aws',
  'test/functions/shared',
  'test/cli/install',
  'test/cli/uninstall',
  'test/cli/doctor',
];

const { moto } = await ensureServers(['moto']);
const folder = mkdtempSync(path.join(tmpdir(), 'outrigger-aws-models-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const requests = path.join(folder, 'requests.jsonl');

const tests = spawnSync('npx', ['vitest', 'run', '--project', 'unit', '--project', 'process', ...CALLERS], {
  env: { ...process.env, OUTRIGGER_REQUESTS: requests },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const validated = spawnSync(path.join(moto, 'bin/python'), [path.join(import.meta.dirname, 'validate.py')], {
  input: readFileSync(requests),
  stdio: ['pipe', 'inherit', 'inherit'],
});
process.exitCode = tests.status === 0 && validated.status === 0 ? 0 : 1;
