import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { widgetPage } from '../../../providers/html/widget/page.ts';
import type { WidgetCall } from '../../../providers/schema/widget-call.ts';
import { pictured } from './widget-cluster.ts';

/** A picture of the documentation: the widget with so many pods that wait. */
export interface Picture {
  readonly name: string;
  readonly pods: number;
  readonly width: 375 | 1440;
  readonly theme: WidgetCall['theme'];
}

export const PICTURES: readonly Picture[] = [
  { name: 'widget-0-pods', pods: 0, width: 1440, theme: 'light' },
  { name: 'widget-1-pod', pods: 1, width: 1440, theme: 'light' },
  { name: 'widget-500-pods', pods: 500, width: 1440, theme: 'light' },
  { name: 'widget-0-pods-narrow', pods: 0, width: 375, theme: 'dark' },
  { name: 'widget-1-pod-narrow', pods: 1, width: 375, theme: 'dark' },
  { name: 'widget-500-pods-narrow', pods: 500, width: 375, theme: 'dark' },
];

const ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:Widget';
const GROUND = { light: '#ffffff', dark: '#0f1b2a' } as const;

/** The page that is drawn: the widget on the ground of the console, in its width. */
export function sourceOf({ pods, width, theme }: Picture): string {
  const remembered = pictured(pods);
  const widget = widgetPage(remembered, [], { view: { kind: 'status' }, theme }, { endpoint: ARN });
  return `<!doctype html><meta charset="utf-8"><style>html{background:${GROUND[theme]}}body{margin:0;width:${width}px;padding:12px;box-sizing:border-box}cwdb-action{display:none}</style>${widget}`;
}

export const digestOf = (picture: Picture): string => hash('sha256', sourceOf(picture));

/** The sources of each picture by name: a picture with unchanged sources is not drawn again. */
export const SOURCES = 'sources.json';

/**
 * Draws the pictures whose source has changed.
 *
 * @param folder where they are
 */
export async function drawWidget(folder: string, browser: Browser): Promise<void> {
  const drawn = JSON.parse(await readFile(path.join(folder, SOURCES), 'utf8').catch(() => '{}')) as Record<
    string,
    string
  >;
  for (const picture of PICTURES.filter((one) => drawn[one.name] !== digestOf(one))) {
    const page = await browser.newPage({ viewport: { width: picture.width, height: 200 } });
    await page.setContent(sourceOf(picture));
    await page.screenshot({ path: path.join(folder, `${picture.name}.png`), fullPage: true });
    await page.close();
  }
  const sources = Object.fromEntries(PICTURES.map((picture) => [picture.name, digestOf(picture)]));
  await writeFile(path.join(folder, SOURCES), `${JSON.stringify(sources, null, 2)}\n`);
}
