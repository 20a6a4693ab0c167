import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { type Block, blocksIn } from './docs-check/blocks.ts';
import { checkPage, type Verdict } from './docs-check/check.ts';
import { commandLine } from './docs-check/commands.ts';
import { directoryFor } from './docs-check/shell.ts';
import { styleFaults } from './docs-check/style.ts';
import { typeFaults } from './docs-check/types.ts';

// Runs or checks every fenced block of the documentation, and its style: `npm run docs:check [PAGE…]`. docs/contributing.md has the words
// that a block is marked with. Ends with 1 when anything failed.
const root = path.join(import.meta.dirname, '..');
const named = process.argv.slice(2);
const pages =
  named.length > 0 ? named : ['README.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root }).toSorted()];

const blocks = await Promise.all(
  pages.map(async (page) => blocksIn(page, await readFile(path.join(root, page), 'utf8'))),
);
const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const known = { commands: await commandLine(), scripts: new Set(Object.keys(scripts)) };
const types = await typeFaults(blocks.flat().filter(({ language }) => language === 'ts'));

const verdicts = await pMap(
  blocks.filter((ofPage) => ofPage.length > 0),
  async (ofPage) => {
    const checked = await checkPage(ofPage, { directory: await directoryFor(ofPage[0]!.page), known, types });
    checked.forEach(print);
    return checked;
  },
  { concurrency: 2 },
);

const faults = await styleFaults(root, pages);
faults.forEach((fault) => process.stdout.write(`style   ${fault}\n`));

const kinds = ['run', 'checked', 'not run', 'failed'] as const;
const counts = kinds.map((kind) => `${verdicts.flat().filter((verdict) => verdict.kind === kind).length} ${kind}`);
process.stdout.write(`${verdicts.flat().length} blocks: ${counts.join(', ')}; ${faults.length} faults of style\n`);
process.exitCode = faults.length > 0 || verdicts.flat().some(({ kind }) => kind === 'failed') ? 1 : 0;

function print({ block, kind, text }: Verdict): void {
  process.stdout.write(`${kind.padEnd(7)} ${placeOf(block)}: ${text.trimEnd().replaceAll('\n', '\n          ')}\n`);
}

function placeOf({ page, line, language, words }: Block): string {
  return `${page}:${line} ${[language, ...words].join(' ')}`;
}
