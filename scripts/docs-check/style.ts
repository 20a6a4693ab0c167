import { execFile } from 'node:child_process';
import path from 'node:path';
import { ensureServers } from '../../test/e2e/servers/cache.ts';

const RULES = path.join(import.meta.dirname, 'vale');

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
  const alerts = await run(path.join(vale, 'vale'), root, [
    `--config=${path.join(RULES, 'vale.ini')}`,
    '--output=JSON',
    // Faults are no failure of the program.
    '--no-exit',
    ...pages,
  ]);
  return pages.flatMap((page) =>
    (alerts[page] ?? []).map(({ Line, Check, Message }) => `${page}:${Line}: ${Message} (${Check})`),
  );
}

const run = (
  program: string,
  cwd: string,
  args: readonly string[],
): Promise<Readonly<Record<string, readonly Alert[]>>> =>
  new Promise((resolve, reject) => {
    execFile(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error !== null) {
        reject(new Error(`vale: ${stdout}${stderr}`, { cause: error }));
        return;
      }
      resolve(JSON.parse(stdout) as Readonly<Record<string, readonly Alert[]>>);
    });
  });
