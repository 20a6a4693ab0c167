import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Block, valueOf } from './blocks.ts';
import { countOwn, type Known, wrongCommands } from './commands.ts';
import { FRAGMENTS, kindOf } from './documents.ts';
import { wrongQuery } from './queries.ts';
import { type Ran, runShell, shows } from './shell.ts';

/** The outcome of a block. */
export interface Verdict {
  readonly block: Block;
  readonly kind: 'run' | 'checked' | 'not run' | 'failed';
  readonly text: string;
}

/** Why a shell block is not run here. Its commands of this repository are checked all the same. */
const REASONS: Readonly<Record<string, string>> = {
  account: 'needs an AWS account',
  cluster: 'needs a cluster',
  elsewhere: 'takes long, and is run by another step or test',
};

/** The parts that the blocks of a page share. */
export interface Page {
  readonly directory: string;
  readonly known: Known;
  readonly types: ReadonlyMap<Block, readonly string[]>;
}

const MARKERS = `mark it as ${Object.keys(REASONS).join(', ')} if it cannot be run here`;

type Found = Omit<Verdict, 'block'>;
const failed = (...lines: readonly string[]): Found => ({ kind: 'failed', text: lines.join('\n') });
const judged = (wrong: readonly string[], what: string): Found =>
  wrong.length === 0 ? { kind: 'checked', text: what } : failed(...wrong);

/** Checks the blocks of a page in order: later ones find the files that earlier ones wrote. */
export async function checkPage(blocks: readonly Block[], page: Page): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  let last: Ran | null = null;
  for (const block of blocks) {
    const file = valueOf(block, 'file');
    if (file !== undefined) {
      await writeFile(path.join(page.directory, file), `${block.text}\n`);
    }
    if (block.words.includes('output')) {
      verdicts.push({ block, ...checkOutput(block, last) });
      continue;
    }
    const { ran, ...found } = await checkBlock(block, page);
    last = ran ?? last;
    verdicts.push({ block, ...found });
  }
  return verdicts;
}

async function checkBlock(block: Block, page: Page): Promise<Found & { readonly ran?: Ran }> {
  try {
    switch (block.language) {
      case 'sh':
        return await checkShell(block, page);
      case 'yaml':
      case 'json':
        return await checkDocument(block, page);
      case 'ts':
        return judged(page.types.get(block) ?? ['was not type-checked'], 'types');
      case 'insights':
        return judged(wrongQuery(block.text), 'fields and messages of the query');
      case 'mermaid':
        return { kind: 'not run', text: 'a diagram' };
      case 'text':
        return block.words.includes('illustration')
          ? { kind: 'not run', text: 'an illustration' }
          : failed('unmarked text: mark it as output (of the block of sh before it) or illustration');
      default:
        return failed(
          `the language "${block.language}" is not known: use sh, yaml, json, ts, insights, mermaid or text`,
        );
    }
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

async function checkShell(block: Block, { directory, known }: Page): Promise<Found & { readonly ran?: Ran }> {
  const wrong = await wrongCommands(block.text, known);
  if (wrong.length > 0) {
    return failed(...wrong);
  }
  const reasons = block.words.flatMap((word) => REASONS[word] ?? []);
  if (reasons.length > 0) {
    const { code, output } = await runShell(block.text, directory, ['-n']);
    const own = countOwn(block.text);
    const checked = own === 0 ? '' : `; ${own} of Outrigger’s commands checked`;
    return code === 0 ? { kind: 'not run', text: `${reasons.join(', ')}${checked}` } : failed(output);
  }
  const expected = Number(valueOf(block, 'exit') ?? 0);
  const started = performance.now();
  const ran = await runShell(block.text, directory);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  return ran.code === expected
    ? { kind: 'run', text: `${seconds} s`, ran }
    : { ...failed(`exit code ${ran.code}, expected ${expected} (or ${MARKERS}):`, ran.output.slice(-2_000)), ran };
}

function checkOutput({ text }: Block, last: Ran | null): Found {
  if (last === null) {
    return failed('an output without a block of sh before it that is run');
  }
  return shows(text, last.output)
    ? { kind: 'checked', text: 'the output of the block before' }
    : failed('not the output of the block before, which is:', last.output);
}

async function checkDocument(block: Block, { directory }: Page): Promise<Found> {
  if (block.words.includes('invalid') && valueOf(block, 'file') !== undefined) {
    return { kind: 'checked', text: 'a file for the commands after it' };
  }
  const fragment = block.words.find((word) => Object.hasOwn(FRAGMENTS, word));
  if (fragment !== undefined) {
    return judged(FRAGMENTS[fragment]!(block.text), fragment);
  }
  const kind = kindOf(block.text);
  if (kind === 'configuration') {
    return judged(FRAGMENTS['configuration']!(block.text), kind);
  }
  if (kind === null) {
    return failed(
      `neither a Scenario, a Workload nor a configuration: mark it as ${Object.keys(FRAGMENTS).join(', ')}`,
    );
  }
  const file = `block-${block.line}.yaml`;
  await writeFile(path.join(directory, file), block.text);
  const command = kind === 'Scenario' ? `simulate ${file}` : `demo --json --load ${file}`;
  const { code, output } = await runShell(`npx outrigger ${command}`, directory);
  return code === 0 ? { kind: 'run', text: `outrigger ${command}` } : failed(output.slice(-2_000));
}
