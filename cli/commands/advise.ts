import { Command } from 'commander';
import type { AdviseFlags } from '../advise/run.ts';
import { withStoredFlags } from '../explain/flags.ts';
import { withPeriodFlags } from '../history/period.ts';
import { wholeNumberBetween, wholeNumberFlag } from '../terminal/flag-values.ts';

const NOTES = `
Other instance types are tried for the node groups: first by packing the pods of the history onto them, then, the best, by simulating the
history as outrigger backtest does, several times with and without the change. Printed is what each saves, with its 95 % interval,
and pods whose requests keep nodes half empty. Nothing is changed.

Examples:
  $ outrigger advise --cluster prod --region eu-west-1 --last 7d
  $ outrigger advise monday.yaml tuesday.yaml --layouts 2 --runs 5
  $ outrigger advise --cluster prod --last 1d -o json

Exit code:
  0  the advice was printed
  1  the history is too short, no price is known, or the table cannot be read
  2  a file, the command line or the configuration is invalid`;

/** `outrigger advise`: which instance types would have cost less. */
export const adviseCommand = (): Command =>
  withPeriodFlags(
    withStoredFlags(new Command('advise').description('Find instance types that would cost less. Changes nothing'), {
      needsCluster: false,
    }),
    '7d',
  )
    .option('--layouts <number>', 'how many layouts are compared in the end: 1 to 6', wholeNumberBetween(1, 6), 2)
    .option(
      '--runs <number>',
      'simulations of each, with different random values: 2 to 10',
      wholeNumberBetween(2, 10),
      3,
    )
    .option('--seed <number>', 'seed of the random values of the first simulation', wholeNumberFlag, 1)
    .addHelpText('after', NOTES)
    .action(async (files: readonly string[], flags: AdviseFlags) => {
      const { adviseCommandLine } = await import('../advise/run.ts');
      process.exitCode = await adviseCommandLine(files, flags, process);
    });
