import path from 'node:path';
import type { Browser } from 'playwright-core';
import { pageAssets } from '../../../cli/html/assets.ts';
import { createDecisionLog } from '../../../cli/html/decisions.ts';
import { demoReport } from '../../../cli/html/demo-report.ts';
import { createNeeds } from '../../../cli/html/needs.ts';
import type { Report } from '../../../cli/html/report.ts';
import { writePage } from '../../../cli/html/write-page.ts';
import { DEFAULT_LOAD } from '../../../simulation/load/default-load.ts';
import { readLoad } from '../../../simulation/load/read-load.ts';
import { record } from '../../../simulation/recording/record.ts';

interface Picture {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
  /** Whether the first decision with a change is opened. */
  readonly opened: boolean;
  /** The part of the page that is drawn; absent: what fits the height. */
  readonly part?: string;
}

const PICTURES: readonly Picture[] = [
  { file: 'demo.png', width: 1_440, height: 1_000, scheme: 'light', opened: false },
  { file: 'nodes.png', width: 900, height: 1_000, scheme: 'light', opened: false, part: '.card:has(.before-after)' },
  { file: 'demo-narrow.png', width: 375, height: 1_000, scheme: 'dark', opened: false },
  { file: 'decision.png', width: 1_000, height: 760, scheme: 'light', opened: true },
];

/** Draws the pictures of the page that `outrigger demo --html` writes. */
export async function drawDemo(folder: string, browser: Browser): Promise<void> {
  const html = writePage(await recordedDemo(), await pageAssets(), null);
  for (const { file, width, height, scheme, opened, part } of PICTURES) {
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
    await (part === undefined ? page : page.locator(part).first()).screenshot({ path: path.join(folder, file) });
    await page.close();
  }
}

/** The demo, as its page shows it. */
export async function recordedDemo(): Promise<Report> {
  const load = readLoad(DEFAULT_LOAD);
  if (!load.ok) {
    throw new Error(`the load of the demo cannot be read: ${JSON.stringify(load.error)}`);
  }
  const log = createDecisionLog();
  const needs = createNeeds();
  const recording = await record(load.value, {
    watch: (scenario, decision) => {
      log.take(scenario, decision);
      needs.take(scenario, decision);
    },
  });
  return demoReport(recording, log.all(), needs.samples, load.value.start);
}
