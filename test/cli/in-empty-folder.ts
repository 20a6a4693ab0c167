import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type Ended, outrigger } from './outrigger.ts';

const MAIN = new URL('../../cli/main.ts', import.meta.url).pathname;

/** Runs the program with these arguments. */
type Run = (...args: readonly string[]) => Promise<Ended>;

/**
 * Makes a folder for each test of a file, and removes it after the test.
 *
 * @returns `run` and `spawn`, which run the program there without AWS variables in this process or in a new one (most
 * of a second), and the path of the folder
 */
export function inEmptyFolder(): { readonly run: Run; readonly spawn: Run; readonly folder: () => string } {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'outrigger-command-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const environment = () => ({ PATH: process.env['PATH'], HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' });
  const run: Run = async (...args) => await outrigger(args, { folder, environment: environment() });
  const spawn: Run = async (...args) =>
    await new Promise((resolve) => {
      execFile(process.execPath, [MAIN, ...args], { cwd: folder, env: environment() }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  return { run, spawn, folder: () => folder };
}
