import { Command } from 'commander';
import type { CompareFlags } from '../compare/run.ts';
import { withStoredFlags } from '../explain/flags.ts';
import { momentOf, sinceOption } from '../history/period.ts';

const NOTES = `
For a deployment with mode: observe, or outrigger local --dry-run with a table, in a cluster in which another autoscaler acts.
The observed sizes and nodes are the actions of that autoscaler; the decisions are what Outrigger would have done. Without --events,
an action has the time of the evaluation that saw it first.

Examples:
  $ outrigger compare --cluster prod --region eu-west-1 --since 7d
  $ outrigger compare --cluster prod --since 7d --html comparison.html
  $ kubectl get events,configmaps -A -o json | outrigger compare --cluster prod --since 1h --events -

Exit code:
  0  the comparison was printed
  1  there is nothing to compare, the table cannot be read, or the page cannot be written
  2  the command line, the file of --events or the configuration is invalid`;

/** `outrigger compare`: an observing Outrigger beside the autoscaler that acts. */
export const compareCommand = (): Command =>
  withStoredFlags(
    new Command('compare').description('Compare an observing Outrigger with the autoscaler that acts. Changes nothing'),
  )
    .addOption(sinceOption())
    .option('--until <time>', 'the same (default: now)', momentOf)
    .option(
      '--events <file>',
      'events and status of the other autoscaler, as kubectl prints them with -o json; - reads standard input',
    )
    .option('--html <file>', 'also write the comparison as a page, for a browser')
    .addHelpText('after', NOTES)
    .action(async (flags: CompareFlags) => {
      const { compareStored } = await import('../compare/run.ts');
      process.exitCode = await compareStored(flags, process);
    });
