import { Command } from 'commander';
import { type StoredFlags, withStoredFlags } from '../explain/flags.ts';
import { runForClusters, withAllClusters } from '../live/all-clusters.ts';
import { groupFlag } from '../terminal/flag-values.ts';
import type { ResumeFlags } from '../pause/answer.ts';

const NOTES = `
Pauses by annotations and tags are not of outrigger pause: remove the annotation or tag that outrigger status names.

Examples:
  $ outrigger resume --cluster prod --region eu-west-1
  $ outrigger resume --cluster prod --group web-a

Exit code:
  0  nothing is paused any more by outrigger pause
  1  the table cannot be written
  2  the command line or the configuration is invalid`;

/** `outrigger resume`: takes back what `outrigger pause` has stopped. */
export const resumeCommand = (): Command =>
  withAllClusters(withStoredFlags(new Command('resume').description('Resume what outrigger pause has stopped')))
    .option(
      '--group <name>',
      'in this node group alone (default: all pauses of the cluster and its node groups)',
      groupFlag,
    )
    .addHelpText('after', NOTES)
    .action(async (flags: StoredFlags & ResumeFlags, command: Command) => {
      const { answerFromStored } = await import('../explain/stored.ts');
      const { resumeCluster } = await import('../pause/answer.ts');
      const answer = resumeCluster.bind(null, flags);
      process.exitCode = await runForClusters(flags, command, (own, output) =>
        answerFromStored({ flags: own, answer }, output),
      );
    });
