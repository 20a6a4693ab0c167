import { Argument, Command, Option } from 'commander';
import { settingsOf } from '../replay/settings.ts';
import { type SimulateOptions, simulateDocuments } from '../simulate/run.ts';

const EXAMPLES = `
Examples:
  $ outrigger simulate cluster.yaml
  $ outrigger simulate -o text cluster.yaml
  $ outrigger simulate --defaults cluster-autoscaler -o json one.yaml two.yaml
  $ outrigger simulate -o text --set scaleDownUnneededTime=1m cluster.yaml
  $ outrigger simulate --html decision.html cluster.yaml
  $ generate-scenario | outrigger simulate --fit -

Exit code:
  0  every scenario was evaluated
  1  an evaluation failed: a bug in Outrigger; or the page of --html cannot be written
  2  a file or a scenario is invalid; the others are evaluated all the same; or the
     command line is invalid
  3  with --fail-on: a pod has that outcome`;

/** `outrigger simulate`: the decisions for scenarios in files, without a cluster. */
export const simulateCommand = (): Command =>
  new Command('simulate')
    .description('Evaluate the scenarios in files and print the decisions')
    .addArgument(
      new Argument('<files...>', 'YAML or JSON files, each with any number of scenarios; - reads standard input'),
    )
    .option('--fit', 'also report, for each pending pod, how it fits every existing node', false)
    .addOption(
      new Option('--defaults <set>', 'defaults of the options that a scenario leaves out')
        .choices(['outrigger', 'cluster-autoscaler'])
        .default('outrigger'),
    )
    .addOption(
      new Option('-o, --output <format>', 'output format; text is for people and may change')
        .choices(['yaml', 'json', 'text'])
        .default('yaml'),
    )
    .addOption(
      new Option('--fail-on <outcome>', 'exit with 3 if any pod has this outcome: no node group fits the pod').choices([
        'unschedulable',
      ]),
    )
    .option('--set <option=value>', "an option in place of the scenarios' own (repeatable)", settingsOf)
    .option('--html <file>', 'also write the decisions as a page, for a browser')
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], options: SimulateOptions) => {
      process.exitCode = await simulateDocuments(files, options, process);
    });
