import { Command, Option } from 'commander';
import { costKeyOf } from '../cost/cost-key.ts';
import type { NodeCostFlags } from '../cost/node-cost.ts';
import { withStoredFlags } from '../explain/flags.ts';
import { withPeriodFlags } from '../history/period.ts';

const NOTES = `
This is the cost of the nodes. The bill of Outrigger itself is estimated by outrigger cost.

The cost of each node, from its launch to its end, is divided among its pods by the CPU, memory and GPUs that they request. The
rest of a node is idle.

Examples:
  $ outrigger node-cost --cluster prod                             # this month, by namespace
  $ outrigger node-cost --cluster prod --last 7d --by label=team
  $ outrigger node-cost monday.yaml tuesday.yaml --by node-group -o json

Exit code:
  0  the cost was printed
  1  the history is too short, or the table cannot be read
  2  a file, the command line or the configuration is invalid`;

/** `outrigger node-cost`: what the nodes of a cluster cost, and for whom. */
export const nodeCostCommand = (): Command =>
  withPeriodFlags(
    withStoredFlags(
      new Command('node-cost').description(
        'Tell what the nodes cost by the history, and for whom, without Outrigger itself',
      ),
      {
        needsCluster: false,
      },
    ),
    'this month',
  )
    .addOption(
      new Option('--by <what>', 'whose cost: namespace, node-group, node or label=KEY')
        .argParser(costKeyOf)
        .default({ of: 'namespace' }, 'namespace'),
    )
    .addHelpText('after', NOTES)
    .action(async (files: readonly string[], flags: NodeCostFlags) => {
      const { nodeCostCommandLine } = await import('../cost/node-cost.ts');
      process.exitCode = await nodeCostCommandLine(files, flags, process);
    });
