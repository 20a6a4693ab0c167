import { Argument, Command, Option } from 'commander';
import { type SimulateOptions, simulate } from '../simulate/run.ts';

const EXAMPLES = `
Examples:
  $ outrigger simulate cluster.yaml
  $ outrigger simulate -o text cluster.yaml
  $ outrigger simulate --defaults cluster-autoscaler -o json before.yaml after.yaml
  $ generate-scenario | outrigger simulate --fit -

Exit code: 0 when every document was evaluated, 2 when one could not be understood (the others are evaluated all the same).`;

/** `outrigger simulate`: what would be decided, without a cluster. */
export const simulateCommand = (): Command =>
  new Command('simulate')
    .description('Decide what the scenarios in these files call for, and print the decisions')
    .addArgument(
      new Argument('<files...>', 'YAML or JSON files with any number of scenarios each; - is standard input'),
    )
    .option('--fit', 'also say, for each pending pod, what every existing node says to it', false)
    .addOption(
      new Option('--defaults <whose>', 'whose defaults the absent options take')
        .choices(['outrigger', 'cluster-autoscaler'])
        .default('outrigger'),
    )
    .addOption(
      new Option('-o, --output <format>', 'how to print the decisions; text is for reading, and may change')
        .choices(['yaml', 'json', 'text'])
        .default('yaml'),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], options: SimulateOptions) => {
      // A reader that has seen enough, such as `head`, is no failure.
      process.stdout.on('error', leaveQuietly);
      process.exitCode = await simulate(files, options, process);
    });

function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') {
    throw error;
  }
  // eslint-disable-next-line no-process-exit
  process.exit();
}
