import { Command } from 'commander';
import { withStoredFlags } from '../explain/flags.ts';
import type { ReplayFlags } from '../replay/run.ts';
import { settingsOf } from '../replay/settings.ts';

const NOTES = `
A decision is made again from exactly what it was made from: without --set it is the same, byte for byte. With --set it is
made with other options as well, and what would have been different is printed. Nothing is changed.

Examples:
  $ outrigger replay 1234 --cluster prod --region eu-west-1
  $ outrigger replay 1234 --cluster prod --set scaleDownUnneededTime=1m --set expander=price
  $ outrigger replay three-zones.yaml --set maxNodesTotal=2 -o json

Exit code:
  0  the replay was printed
  1  the decision is not kept, or without what it was made from; or the table cannot be read
  2  an option, the file, the command line or the configuration is invalid`;

/** `outrigger replay`: what would have been decided with other options. */
export const replayCommand = (): Command =>
  withStoredFlags(
    new Command('replay').description('Re-evaluate a past decision, optionally with other options. Changes nothing'),
    { needsCluster: false },
  )
    .argument(
      '<decision>',
      'number of a decision, as outrigger history lists it, or a file with a scenario; - reads standard input',
    )
    .option('--set <option=value>', 'an option to replay it with (repeatable)', settingsOf)
    .addHelpText('after', NOTES)
    .action(async (given: string, flags: ReplayFlags) => {
      const { replay } = await import('../replay/run.ts');
      process.exitCode = await replay(given, flags, process);
    });
