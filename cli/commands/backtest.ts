import { Command, Option } from 'commander';
import { PEERS } from '../backtest/peer.ts';
import type { BacktestFlags } from '../backtest/run.ts';
import { withStoredFlags } from '../explain/flags.ts';
import { withPeriodFlags } from '../history/period.ts';
import { wholeNumberFlag } from '../terminal/flag-values.ts';
import { settingsOf } from '../replay/settings.ts';

const NOTES = `
The simulated cluster of outrigger demo replays the pods, their ends, interruptions and boot times of the history, in two runs.
One run has the options of the history, and shows how faithful the simulation is. The other has those of --set, or the rules and
defaults of Cluster Autoscaler or Karpenter. The output has USD, node-hours, waits, evictions and lost work of both runs and of the
history. Nothing is changed.

Examples:
  $ outrigger backtest --cluster prod --region eu-west-1 --last 7d --set scaleDownUnneededTime=2m
  $ outrigger backtest --cluster prod --region eu-west-1 --peer cluster-autoscaler
  $ outrigger backtest --cluster prod --region eu-west-1 --last 1d --peer karpenter
  $ outrigger backtest --cluster prod --last 2d --set expander=price --html backtest.html
  $ outrigger backtest monday.yaml tuesday.yaml --set consolidation=delete -o json

Exit code:
  0  the backtest was printed
  1  the history is too short, the table cannot be read, or the page cannot be written
  2  an option, a file, the command line or the configuration is invalid`;

/** `outrigger backtest`: what the last days would have cost with other options. */
export const backtestCommand = (): Command =>
  withPeriodFlags(
    withStoredFlags(
      new Command('backtest').description('Simulate the last days again, with other options. Changes nothing'),
      { needsCluster: false },
    ),
    '7d',
  )
    .option('--set <option=value>', 'an option to play it with (repeatable)', settingsOf)
    .addOption(
      new Option(
        '--peer <autoscaler>',
        'play it by the rules of another autoscaler, with its defaults (and --set, but for karpenter)',
      ).choices(PEERS),
    )
    .option('--seed <number>', 'seed of the random values of the simulation', wholeNumberFlag, 1)
    .option('--html <file>', 'also write a page with charts, for a browser')
    .addHelpText('after', NOTES)
    .action(async (files: readonly string[], flags: BacktestFlags) => {
      const { backtestCommandLine } = await import('../backtest/run.ts');
      process.exitCode = await backtestCommandLine(files, flags, process);
    });
