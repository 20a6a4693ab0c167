import { Argument, Command } from 'commander';
import { migrate, type MigrateOptions } from '../migrate/run.ts';

const EXAMPLES = `
Examples:
  $ outrigger migrate -o outrigger.config.yaml values.yaml
  $ kubectl -n kube-system get deploy cluster-autoscaler -o yaml | outrigger migrate --region eu-west-1 -

Exit code: 0 when the configuration was written, 2 when something could not be understood (nothing is written then).`;

/** `outrigger migrate`: the configuration of Outrigger from a deployment of Cluster Autoscaler. */
export const migrateCommand = (): Command =>
  new Command('migrate')
    .description('Write the configuration that decides as a deployment of Cluster Autoscaler does')
    .addArgument(
      new Argument('<files...>', 'Deployments of Cluster Autoscaler or values of its Helm chart; - is standard input'),
    )
    .option('-o, --output <file>', 'where to write the configuration (default: standard output)')
    .option('--cluster <name>', 'the name of the cluster (default: as the files say it)')
    .option('--region <region>', 'the region of the cluster (default: as the files say it)')
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], options: MigrateOptions) => {
      process.exitCode = await migrate(files, options, process);
    });
