import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { inScratchTrees } from '../scratch-trees.ts';
import { positive, toolCommand } from '../tool-command.ts';
import type { Defect } from './defect.ts';
import { DEFECTS } from './defects.ts';
import { pageWith } from './page.ts';
import { changesOf, type Finder, type Findings, look } from './plant.ts';

const PAGE = 'docs/planted-defects.md';

const FINDERS: readonly Finder[] = ['units', 'simulation', 'hostile'];

interface Flags {
  readonly only: readonly string[];
  readonly by?: Finder;
  readonly seeds: number;
  readonly trees: number;
  readonly write: boolean;
}

/** The command that `main.ts` is. */
export function planted(root: string, defects = DEFECTS): Command {
  const program = toolCommand('planted', 'Plant defects, one at a time, and tell which checks find them')
    .option('--only <ids...>', 'only these defects', [])
    .addOption(new Option('--by <finder>', 'only what one of the checks finds').choices(FINDERS))
    .option('--seeds <number>', 'most seeds of the fault simulation for each defect', positive, 200)
    .option('--trees <number>', 'copies of the tree that are worked in at once', positive, availableParallelism())
    .option('--write', `write what was found to ${PAGE}`, false)
    .action(async (flags: Flags) => {
      const unknown = flags.only.filter((id) => defects.every((defect) => defect.id !== id));
      if (unknown.length > 0) {
        program.error(`error: no defect ${unknown.join(', ')}`);
      }
      const chosen = defects.filter(({ id }) => flags.only.length === 0 || flags.only.includes(id));
      process.exitCode = await lookForAll(root, chosen, defects, flags);
    });
  return program;
}

async function lookForAll(
  root: string,
  chosen: readonly Defect[],
  all: readonly Defect[],
  { by, seeds, trees, write }: Flags,
): Promise<number> {
  chosen.forEach((defect) => changesOf(root, defect));
  const finders = new Set<Finder>(by === undefined ? FINDERS : [by]);
  const findings = new Map<string, Findings>();
  await inScratchTrees(
    root,
    chosen,
    async (defect, tree) => {
      const found = await look(tree, defect, finders, seeds);
      findings.set(defect.id, found);
      process.stdout.write(`${lineOf(defect, found)}\n`);
      if (write) {
        const file = join(root, PAGE);
        writeFileSync(file, pageWith(readFileSync(file, 'utf8'), all, findings));
      }
    },
    trees,
  );
  const missed = chosen.flatMap(({ id }) => (isMissed(findings.get(id)!) ? id : []));
  process.stdout.write(
    missed.length === 0 ? `all ${chosen.length} found\n` : `${missed.length} missed: ${missed.join(' ')}\n`,
  );
  return missed.length === 0 ? 0 : 1;
}

/** Tests or the simulation have to find each, and the simulation those that it is asked about. */
const isMissed = ({ units, simulation }: Findings): boolean =>
  simulation?.invariant === null || (units === null && simulation === undefined);

function lineOf({ id, what }: Defect, { units, simulation }: Findings): string {
  const of = (found: string | null): string => found ?? 'NOT FOUND';
  return [
    `${id} ${what}`,
    ...(units === undefined ? [] : [`    tests: ${of(units)}`]),
    ...(simulation === undefined ? [] : [`    simulation: ${of(simulation.invariant)} (seed ${simulation.seed})`]),
  ].join('\n');
}
