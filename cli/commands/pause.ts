import { Command, Option } from 'commander';
import { type StoredFlags, withStoredFlags } from '../explain/flags.ts';
import { runForClusters, withAllClusters } from '../live/all-clusters.ts';
import { groupFlag, pauseFlag } from '../terminal/flag-values.ts';
import type { PauseFlags } from '../pause/answer.ts';

const NOTES = `
  --all (the default)  both of the following
  --scale-up           no node group is raised
  --scale-down         no node is removed, consolidated or replaced, and no instance is terminated

Nodes whose instances AWS ends (Spot interruptions, lifecycle hooks) are drained as usual, or their pods would end without grace.

It takes effect at once: changes that are decided and not made are refused, and drains stop before their next eviction.
One item is written to the DynamoDB table of the stack; neither the cluster nor its node groups are asked. A pause without
--for lasts until outrigger resume. With kubectl alone: kubectl -n kube-system annotate configmap
cluster-autoscaler-status outrigger.dev/paused=true (docs/pause.md).

Examples:
  $ outrigger pause --cluster prod --region eu-west-1
  $ outrigger pause --cluster prod --scale-down --for 2h --cancel-drains
  $ outrigger pause --cluster prod --group web-a
  $ outrigger pause --all-clusters --for 1h

Exit code:
  0  it is paused
  1  the table cannot be written, or there is no such node group: nothing is paused
  2  the command line or the configuration is invalid`;

/** `outrigger pause`: stops Outrigger in a cluster or a node group. */
export const pauseCommand = (): Command =>
  withAllClusters(
    withStoredFlags(new Command('pause').description('Stop scaling of a cluster or a node group, within seconds')),
  )
    .addOption(new Option('--all', 'scale-up and scale-down (default)').conflicts(['scaleUp', 'scaleDown']))
    .option('--scale-up', 'increases of node groups')
    .option('--scale-down', 'removals of nodes')
    .option('--group <name>', 'in this node group alone', groupFlag)
    .option('--for <duration>', 'ends by itself after this time, such as 30m or 2h (default: it does not)', pauseFlag)
    .option('--cancel-drains', 'roll back drains that are going on, rather than hold them')
    .addHelpText('after', NOTES)
    .action(async (flags: StoredFlags & PauseFlags, command: Command) => {
      const { answerFromStored } = await import('../explain/stored.ts');
      const { pauseCluster } = await import('../pause/answer.ts');
      const answer = pauseCluster.bind(null, flags);
      process.exitCode = await runForClusters(flags, command, (own, output) =>
        answerFromStored({ flags: own, answer }, output),
      );
    });
