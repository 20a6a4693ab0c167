import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brokenCeilings, ceilingsFor } from './measure/ceilings.ts';
import { type Figures, figuresOf } from './measure/tree.ts';

// Prints figures about the size and the plainness of the tree. `--check` fails for a figure above its ceiling, and for a ceiling far above
// its figure; `--write` makes today's figures the ceilings. A commit that raises a ceiling says why.
const CEILINGS = join(import.meta.dirname, 'measure/ceilings.json');
const { values } = parseArgs({ options: { check: { type: 'boolean' }, write: { type: 'boolean' } } });
const figures = figuresOf(join(import.meta.dirname, '..'));
for (const [name, value] of Object.entries(figures)) {
  console.log(`${value.toLocaleString('en-US').padStart(10)}  ${name}`);
}
if (values.write === true) {
  writeFileSync(CEILINGS, `${JSON.stringify(ceilingsFor(figures), null, 2)}\n`);
}
if (values.check === true) {
  const broken = brokenCeilings(figures, JSON.parse(readFileSync(CEILINGS, 'utf8')) as Figures);
  broken.forEach((sentence) => console.error(sentence));
  process.exitCode = broken.length === 0 ? 0 : 1;
}
