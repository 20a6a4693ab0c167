import { Command, Option } from 'commander';
import { type DemoOptions, demo } from '../demo/run.ts';
import { outputOption, wholeNumberFlag } from '../terminal/flag-values.ts';
import { settingsOf } from '../replay/settings.ts';

const NOTES = `
Examples:
  $ outrigger demo
  $ outrigger demo --seed 7
  $ outrigger demo --provider clusterapi
  $ outrigger demo --load examples/workloads/mixed.yaml
  $ outrigger demo -o json | jq .summary
  $ outrigger demo --set scaleDownUnneededTime=2m --set expander=price
  $ outrigger demo --html run.html

The same workload and seed give the same run, with -o json byte for byte.

Exit code:
  0  the simulation ended; the summary names the pods that found no node
  1  the page of --html cannot be written
  2  the workload or the command line is invalid`;

/** `outrigger demo`: the real functions scale a simulated cluster. */
export const demoCommand = (): Command =>
  new Command('demo')
    .description('Show how Outrigger scales a simulated cluster; needs no cluster and no AWS account')
    .addOption(outputOption())
    .option('--json', 'the same as -o json', false)
    .addOption(new Option('--speed <factor>').hideHelp())
    .option('--seed <number>', 'seed of the random values: boot times, latencies, ties', wholeNumberFlag)
    .addOption(
      new Option('--provider <provider>', 'node groups of the cluster: Auto Scaling groups, or MachineDeployments')
        .choices(['aws', 'clusterapi'])
        .default('aws'),
    )
    .option(
      '--load <file>',
      'workload to run instead of the built-in one (see docs/workload.md); - reads standard input',
    )
    .option('--set <option=value>', "an option in place of the workload's own (repeatable)", settingsOf)
    .option('--html <file>', 'also write the run as a page with charts, for a browser')
    .addHelpText('after', NOTES)
    .action(async (options: DemoOptions) => {
      process.exitCode = await demo(options, process);
    });
