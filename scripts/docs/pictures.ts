import { mkdir, writeFile } from 'node:fs/promises';
import { pageAssets } from '../../cli/html/assets.ts';
import { createDecisionLog } from '../../cli/html/decisions.ts';
import { demoReport } from '../../cli/html/demo-report.ts';
import { writePage } from '../../cli/html/write-page.ts';
import { DEFAULT_LOAD } from '../../cli/demo/load/default-load.ts';
import { readLoad } from '../../cli/demo/load/read-load.ts';
import { record, START } from '../../cli/demo/record/record.ts';
import { findChromium, startChromium } from './chromium.ts';

interface Picture {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
  /** Of the decisions that change something, the first is opened. */
  readonly opened: boolean;
}

const PICTURES: readonly Picture[] = [
  { file: 'demo.png', width: 1_440, height: 1_000, scheme: 'light', opened: false },
  { file: 'demo-narrow.png', width: 375, height: 1_000, scheme: 'dark', opened: false },
  { file: 'decision.png', width: 1_000, height: 760, scheme: 'light', opened: true },
];

/**
 * Takes the pictures of the page that `outrigger demo --html` writes.
 *
 * @returns what to say where there is no browser: the pictures stay as they are then
 */
export async function takePictures(folder: URL): Promise<string | null> {
  if ((await findChromium()) === null) {
    return 'The pictures stay as they are: there is no Chromium (apt-get install chromium, or set CHROMIUM).';
  }
  const html = await demoPage();
  await mkdir(folder, { recursive: true });
  const browser = await startChromium();
  try {
    for (const { file, width, height, scheme, opened } of PICTURES) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
      await page.setContent(html);
      await page.waitForSelector('main canvas');
      if (opened) {
        await page.locator('.decision.changes > summary').nth(2).click();
        await page.locator('.decision .section').first().waitFor();
        await page
          .locator('.decision[open]')
          .evaluate((one) => (one as unknown as { scrollIntoView: () => void }).scrollIntoView());
        await page.mouse.move(0, 0);
      }
      await writeFile(new URL(file, folder), await page.screenshot());
      await page.close();
    }
  } finally {
    await browser.close();
  }
  return null;
}

async function demoPage(): Promise<string> {
  const load = readLoad(DEFAULT_LOAD);
  if (!load.ok) {
    throw new Error(`the load of the demo cannot be read: ${JSON.stringify(load.error)}`);
  }
  const log = createDecisionLog();
  const recording = await record(load.value, () => null, 'aws', log.take);
  return writePage(demoReport(recording, log.all(), START), await pageAssets(), null);
}
