import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bands, bandsText, type Recording } from './bands.ts';
import { type Batch, type Judgment, judged, measured, recorded } from './batch.ts';

const FILE = join(import.meta.dirname, 'bands.json');

/** Measures a batch and compares it with the bands, or records the bands before. */
export function reportQuality(batch: Batch, recording: Recording | 'none'): Judgment {
  const bands = JSON.parse(readFileSync(FILE, 'utf8')) as Bands;
  const all = measured(batch);
  if (recording === 'none') {
    return judged(bands, batch, all);
  }
  const kept = recorded(bands, batch, recording);
  writeFileSync(FILE, bandsText(kept));
  return { lines: judged(kept, batch, all).lines, failures: [] };
}
