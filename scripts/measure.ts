import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brokenCeilings, ceilingsFor } from './measure/ceilings.ts';
import { isJudged, isTooLong, namesLittle, sentencesInPages } from './measure/pages.ts';
import { type Figures, figuresOf } from './measure/tree.ts';

// Prints figures about the size and the plainness of the tree. `--check` fails for a figure above its ceiling, and for a ceiling far above
// its figure; `--write` makes today's figures the ceilings. A commit that raises a ceiling says why. `--sentences` prints the sentences of
// pages that are counted.
const CEILINGS = join(import.meta.dirname, 'measure/ceilings.json');
const ROOT = join(import.meta.dirname, '..');
const flag = { type: 'boolean' } as const;
const { values } = parseArgs({ options: { check: flag, write: flag, sentences: flag } });
const figures = figuresOf(ROOT);
for (const [name, value] of Object.entries(figures)) {
  console.log(`${value.toLocaleString('en-US').padStart(10)}  ${name}`);
}
if (values.sentences === true) {
  sentencesInPages(ROOT)
    .filter((sentence) => isTooLong(sentence) || (isJudged(sentence) && namesLittle(sentence)))
    .forEach(({ page, line, text }) => console.log(`${page}:${line}: ${text}`));
}
if (values.write === true) {
  writeFileSync(CEILINGS, `${JSON.stringify(ceilingsFor(figures), null, 2)}\n`);
}
if (values.check === true) {
  const broken = brokenCeilings(figures, JSON.parse(readFileSync(CEILINGS, 'utf8')) as Figures);
  broken.forEach((sentence) => console.error(sentence));
  process.exitCode = broken.length === 0 ? 0 : 1;
}
