import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Names of the program on the path. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser that is installed, or that `CHROMIUM` names; `null` where there is none. */
export async function findChromium(): Promise<string | null> {
  const named = process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const candidates =
    named === undefined ? NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))) : [named];
  for (const candidate of candidates) {
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not here.
    }
  }
  return null;
}

/**
 * Starts the browser, without a window.
 *
 * @throws Error where there is none, with what to do.
 */
export async function startChromium(): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === null) {
    throw new Error('There is no Chromium: install it (apt-get install chromium), or set CHROMIUM to the path of one.');
  }
  // Root has no sandbox, and the pages are our own. It may be many times slower than usual.
  return await chromium.launch({
    executablePath,
    timeout: 120_000,
    args: ['--no-sandbox', '--force-color-profile=srgb'],
  });
}
