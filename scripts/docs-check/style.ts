import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureServers } from '../../test/e2e/servers/cache.ts';

const run = promisify(execFile);

const RULES = path.join(import.meta.dirname, 'vale');
const MOST_BYTES = 64 * 1024 * 1024;

/** The part of an alert of Vale that is shown. */
interface Alert {
  readonly Line: number;
  readonly Check: string;
  readonly Message: string;
}

/**
 * Compares pages with the rules of style in `vale`, which is built first where it is missing.
 *
 * @param root of the tree; the pages are relative to it.
 * @returns a line for each fault, in the order of the pages.
 */
export async function styleFaults(root: string, pages: readonly string[]): Promise<readonly string[]> {
  const { vale } = await ensureServers(['vale']);
  // Faults are no failure of the program: no-exit.
  const args = [`--config=${path.join(RULES, 'vale.ini')}`, '--output=JSON', '--no-exit', ...pages];
  const { stdout } = await run(path.join(vale, 'vale'), args, { cwd: root, maxBuffer: MOST_BYTES });
  const alerts = JSON.parse(stdout) as Readonly<Record<string, readonly Alert[]>>;
  return pages.flatMap((page) =>
    (alerts[page] ?? []).map(({ Line, Check, Message }) => `${page}:${Line}: ${Message} (${Check})`),
  );
}
