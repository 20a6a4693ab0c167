import { Argument, Command, Option } from 'commander';
import { migrate, type MigrateOptions } from '../migrate/run.ts';

const EXAMPLES = `
Examples:
  $ outrigger migrate -o outrigger.config.yaml values.yaml
  $ kubectl -n kube-system get deploy,ds -o yaml |
      outrigger migrate --region eu-west-1 -

Exit code:
  0  the configuration was written
  2  a file or the command line is invalid, or the file of -o has the cluster already; nothing was written`;

/** `outrigger migrate`: the configuration of Outrigger from Cluster Autoscaler and Node Termination Handler. */
export const migrateCommand = (): Command =>
  new Command('migrate')
    .description(
      'Convert the flags of Cluster Autoscaler, and the settings of Node Termination Handler, to an Outrigger configuration',
    )
    .addArgument(
      new Argument(
        '<files...>',
        'objects that run Cluster Autoscaler or Node Termination Handler, or values of their Helm charts; - reads standard input',
      ),
    )
    .option(
      '-o, --output <file>',
      'file to write the configuration to; clusters are added to a configuration that exists (default: standard output)',
    )
    .addOption(
      new Option(
        '--format <format>',
        'json: the configuration, and what becomes of each flag and setting, for programs',
      )
        .choices(['yaml', 'json'])
        .default('yaml'),
    )
    .option('--cluster <name>', 'cluster name (default: from the files)')
    .option('--region <region>', 'AWS region of the cluster (default: from the files)')
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], options: MigrateOptions) => {
      process.exitCode = await migrate(files, options, process);
    });
