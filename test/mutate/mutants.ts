import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, runIn, type ScratchTree, withChanges } from '../scratch-trees.ts';
import { type Equivalent, EQUIVALENT } from './equivalent.ts';
import { type Mutation, mutationsOf } from './operators.ts';
import type { Room } from './rooms.ts';

/** A mutation of one file of a room. */
export interface Mutant extends Change {
  readonly room: Room;
  /** In words: the file, the line, its text before, and its text after. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** The mutants of a room, in an order by chance that the seed alone determines. */
export function mutantsOf(root: string, room: Room, seed: number): readonly Mutant[] {
  const mutants = globSync(`${room.folder}/**/*.ts`, { cwd: root }).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return mutationsOf(source, room.folder.startsWith('cdk/')).map((mutation) =>
      mutantOf(room, file, source, mutation),
    );
  });
  const different = new Map(mutants.map((mutant) => [`${mutant.file}\n${mutant.to}`, mutant]));
  const rank = ({ file, line, before, after }: Mutant): string =>
    createHash('sha256')
      .update(JSON.stringify([seed, file, line, before, after]))
      .digest('hex');
  return [...different.values()]
    .filter((mutant) => !EQUIVALENT.some((one) => isThat(mutant, one)))
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutant }) => mutant);
}

function mutantOf(room: Room, file: string, source: string, { start, end, to }: Mutation): Mutant {
  const changed = `${source.slice(0, start)}${to}${source.slice(end)}`;
  const first = source.lastIndexOf('\n', start - 1) + 1;
  const line = source.slice(0, start).split('\n').length;
  const lineAt = (text: string, last: number): string => {
    const stop = text.indexOf('\n', last);
    return text
      .slice(first, stop === -1 ? undefined : stop)
      .replace(/\s+/g, ' ')
      .trim();
  };
  return { room, file, to: changed, line, before: lineAt(source, end), after: lineAt(changed, start + to.length) };
}

const isThat = ({ file, before, after }: Mutant, one: Equivalent): boolean =>
  file === one.file && before === one.before && after === one.after;

/** The mutants that compile. Each compiler run contains at most one mutant of each file. */
export async function compiling(tree: ScratchTree, mutants: readonly Mutant[]): Promise<readonly Mutant[]> {
  const passed: Mutant[] = [];
  let left = mutants;
  while (left.length > 0) {
    const batch = [...new Map(left.toReversed().map((mutant) => [mutant.file, mutant])).values()];
    const isIn = new Set(batch);
    left = left.filter((mutant) => !isIn.has(mutant));
    passed.push(...(await compilingTogether(tree, batch)));
  }
  return mutants.filter((mutant) => passed.includes(mutant));
}

async function compilingTogether(tree: ScratchTree, mutants: readonly Mutant[]): Promise<readonly Mutant[]> {
  const wrong =
    mutants.length === 0 ? new Set() : await withChanges(tree, mutants, async () => await filesInError(tree));
  if (wrong.size === 0) {
    return mutants;
  }
  const rest = mutants.filter(({ file }) => !wrong.has(file));
  if (rest.length < mutants.length) {
    return await compilingTogether(tree, rest);
  }
  // The errors are where something of a changed file is used.
  const half = Math.floor(mutants.length / 2);
  return mutants.length === 1
    ? []
    : [
        ...(await compilingTogether(tree, mutants.slice(0, half))),
        ...(await compilingTogether(tree, mutants.slice(half))),
      ];
}

async function filesInError(tree: ScratchTree): Promise<ReadonlySet<string>> {
  const { code, text } = await runIn(tree.folder, [
    'node_modules/.bin/tsc',
    '--incremental',
    '--tsBuildInfoFile',
    '.tsbuildinfo',
    '--pretty',
    'false',
  ]);
  const files = new Set([...text.matchAll(/^([^\s(]+)\(\d+,\d+\): error/gm)].map(([, file]) => file!));
  if (code !== 0 && files.size === 0) {
    throw new Error(`the compiler ended with ${code}: ${text}`);
  }
  return files;
}
