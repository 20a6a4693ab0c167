import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';

const MAIN = new URL('../../../cli/main.ts', import.meta.url).pathname;

/** How the program ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Makes a folder for the tests of a file, and removes it after them.
 *
 * @returns runs the program there, with nothing of AWS in its environment, and where that is
 */
export function inEmptyFolder(): {
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  readonly folder: () => string;
} {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'outrigger-command-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const run = async (...args: readonly string[]): Promise<Ended> =>
    await new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' };
      execFile(process.execPath, [MAIN, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  return { run, folder: () => folder };
}
