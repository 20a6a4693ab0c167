import { availableParallelism } from 'node:os';
import Table from 'cli-table3';
import { type Command, Option } from 'commander';
import { inScratchTrees, type ScratchTree, testThatFails } from '../scratch-trees.ts';
import { positive, toolCommand, wholeNumber } from '../tool-command.ts';
import { compiling, type Mutant, mutantsOf } from './mutants.ts';
import { type Room, ROOMS } from './rooms.ts';

/** About one mutant in three does not compile. */
const SPARE = 1.8;

interface Flags {
  readonly mutants: number;
  readonly seed: number;
  readonly room: readonly string[];
  readonly atLeast: number;
  readonly trees: number;
}

type Fate = 'own' | 'wider' | 'survived';

/** The command that `main.ts` is. */
export function mutate(root: string, rooms = ROOMS): Command {
  return toolCommand('mutate', 'Break the product at random places, and tell what no test sees')
    .option('--mutants <number>', 'number of mutants, in all rooms together', positive, 200)
    .option('--seed <number>', 'the seed of the choice', wholeNumber, 1)
    .addOption(
      new Option('--room <folders...>', 'only these rooms').choices(rooms.map(({ folder }) => folder)).default([]),
    )
    .option('--at-least <percent>', 'fail below this share of mutants that tests see', wholeNumber, 0)
    .option('--trees <number>', 'copies of the tree that are worked in at once', positive, availableParallelism())
    .action(async (flags: Flags) => {
      const chosen = rooms.filter(({ folder }) => flags.room.length === 0 || flags.room.includes(folder));
      process.exitCode = await measure(root, chosen, flags);
    });
}

async function measure(root: string, rooms: readonly Room[], flags: Flags): Promise<number> {
  const mutants = await drawn(root, rooms, flags);
  const fates = new Map<Mutant, Fate>();
  await inScratchTrees(
    root,
    mutants,
    async (mutant, tree) => {
      const fate = await fateOf(tree, mutant);
      fates.set(mutant, fate);
      if (fate === 'survived') {
        process.stdout.write(`survived (${fates.size} of ${mutants.length} tried): ${described(mutant)}\n`);
      }
    },
    flags.trees,
  );
  const share = print(rooms, fates);
  return share * 100 >= flags.atLeast ? 0 : 1;
}

/** Mutants that compile, of each room the same number. */
async function drawn(root: string, rooms: readonly Room[], { mutants, seed }: Flags): Promise<readonly Mutant[]> {
  const found: Mutant[] = [];
  const shares = rooms.map((room, i) => ({
    left: [...mutantsOf(root, room, seed)],
    missing: Math.floor((mutants * (i + 1)) / rooms.length) - Math.floor((mutants * i) / rooms.length),
  }));
  await inScratchTrees(root, [shares], async (all, tree) => {
    while (all.some(({ left, missing }) => missing > 0 && left.length > 0)) {
      const tried = all.map((share) => ({ share, batch: share.left.splice(0, Math.ceil(share.missing * SPARE)) }));
      const good = new Set(
        await compiling(
          tree,
          tried.flatMap(({ batch }) => batch),
        ),
      );
      for (const { share, batch } of tried) {
        const taken = batch.filter((mutant) => good.has(mutant)).slice(0, share.missing);
        share.missing -= taken.length;
        found.push(...taken);
      }
    }
  });
  return found;
}

async function fateOf(tree: ScratchTree, mutant: Mutant): Promise<Fate> {
  const { own, wider } = mutant.room;
  if ((await testThatFails(tree, [mutant], own)) !== null) {
    return 'own';
  }
  return wider.length > 0 && (await testThatFails(tree, [mutant], wider)) !== null ? 'wider' : 'survived';
}

const described = ({ file, line, before, after }: Mutant): string => `${file}:${line}\n  - ${before}\n  + ${after}`;

/** @returns the share of the mutants that tests see. */
function print(rooms: readonly Room[], fates: ReadonlyMap<Mutant, Fate>): number {
  const table = new Table({
    head: ['room', 'mutants', 'seen by its tests', 'by others', 'share'],
    style: { head: [] },
  });
  const row = (name: string, of: readonly Fate[]): number => {
    const count = (fate: Fate): number => of.filter((one) => one === fate).length;
    const share = 1 - count('survived') / Math.max(1, of.length);
    table.push([name, of.length, count('own'), count('wider'), `${(share * 100).toFixed(0)} %`]);
    return share;
  };
  for (const room of rooms) {
    row(
      room.folder,
      [...fates].filter(([mutant]) => mutant.room === room).map(([, fate]) => fate),
    );
  }
  const share = row('all', [...fates.values()]);
  const survivors = [...fates].filter(([, fate]) => fate === 'survived').map(([mutant]) => described(mutant));
  process.stdout.write(`${table.toString()}\n${survivors.map((text) => `${text}\n`).join('')}`);
  return share;
}
