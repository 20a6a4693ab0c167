import { Command } from 'commander';
import { type StoredFlags, withStoredFlags } from '../explain/flags.ts';
import { runForClusters, withAllClusters } from '../live/all-clusters.ts';

const NOTES = `
It is read from the DynamoDB table of the stack: the last decisions, and what they wait for. Nothing is read from the
cluster, and nothing is changed. An idle cluster stores its decisions every few minutes.

Examples:
  $ outrigger status --cluster prod --region eu-west-1
  $ outrigger status --cluster prod -o json
  $ outrigger status --all-clusters
  $ outrigger status --cluster prod --table outrigger --dynamodb-endpoint http://localhost:8000

Exit code:
  0  the status was printed
  1  the state cannot be read, or the cluster was never evaluated
  2  the command line or the configuration is invalid`;

/** `outrigger status`: the last decisions, and the work that Outrigger waits for. */
export const statusCommand = (): Command =>
  withAllClusters(
    withStoredFlags(new Command('status').description('Show the latest decisions and pending work. Changes nothing')),
  )
    .addHelpText('after', NOTES)
    .action(async (flags: StoredFlags, command: Command) => {
      // Loaded when they are needed: help does not wait for the AWS clients.
      const { answerFromStored } = await import('../explain/stored.ts');
      const { aboutCluster, byRecord } = await import('../explain/subjects.ts');
      process.exitCode = await runForClusters(flags, command, (own, output) =>
        answerFromStored({ flags: own, answer: byRecord(aboutCluster) }, output),
      );
    });
