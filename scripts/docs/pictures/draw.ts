import { mkdir } from 'node:fs/promises';
import { findChromium, startChromium } from './chromium.ts';
import { drawDemo } from './demo.ts';
import { drawWidget } from './widget.ts';

/**
 * Draws the pictures of the documentation in headless Chromium.
 *
 * @param folder with the pictures
 * @returns a message if there is no browser, and the pictures stay unchanged; else `null`
 */
export async function drawPictures(folder: string): Promise<string | null> {
  if ((await findChromium()) === null) {
    return 'The pictures stay as they are: there is no Chromium (apt-get install chromium, or set CHROMIUM).';
  }
  await mkdir(folder, { recursive: true });
  const browser = await startChromium();
  try {
    await drawWidget(folder, browser);
    await drawDemo(folder, browser);
  } finally {
    await browser.close();
  }
  return null;
}
