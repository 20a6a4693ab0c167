import { writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { printable } from '@outrigger/core/model/values/printable.ts';
import { write } from '../terminal/streams.ts';
import { pageAssets } from './assets.ts';
import type { Report } from './report.ts';
import { writePage } from './write-page.ts';

/**
 * Writes a report as a page into a file.
 *
 * @returns whether that worked; if not, it has said why.
 */
export async function writeReport(report: Report, file: string, stderr: Writable): Promise<boolean> {
  const page = writePage(report, await pageAssets(), null);
  try {
    await writeFile(file, page);
    return true;
  } catch (error) {
    const why = messageOf(error);
    await write(stderr, `error: ${printable(`${file}: the page cannot be written: ${why}; choose another --html`)}\n`);
    return false;
  }
}
