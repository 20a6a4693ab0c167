import { Command, Option } from 'commander';
import { systemClock } from '../../functions/shared/clock.ts';
import { type DoctorRequest, doctor, MALFORMED } from '../doctor/run.ts';
import { clusterOf, urlOf } from '../local/flag-values.ts';

interface Flags extends DoctorRequest {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly profile?: string;
  readonly awsEndpoint?: string;
}

const EXAMPLES = `
Examples:
  $ outrigger doctor --cluster prod --region eu-west-1
  $ outrigger doctor --cluster prod --config outrigger.config.yaml -o json

Exit code:
  0  no check failed; there may be warnings, and checks that could not be made
  1  a check failed
  2  the command line or the configuration is invalid; nothing was checked`;

/** `outrigger doctor`: checks an account and a cluster before anything is deployed. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('Check an AWS account and a cluster before a deployment, with your own permissions. Changes nothing')
    .requiredOption('--cluster <name>', 'name of the EKS cluster', clusterOf)
    .addOption(
      new Option(
        '--region <region>',
        'AWS region of the cluster (default: that of the configuration, else of the AWS environment)',
      ),
    )
    .option('--config <file>', 'configuration file (default: outrigger.config.yaml, where it exists)')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: a token of EKS for the AWS credentials)')
    .option('--context <name>', 'context in the kubeconfig (default: the current context)')
    .option('--profile <name>', 'profile of the AWS configuration (default: $AWS_PROFILE)')
    .option('--aws-endpoint <url>', 'endpoint for all services of AWS (default: the endpoints of the region)', urlOf)
    .addOption(
      new Option('-o, --output <format>', 'output format; text is for people and may change')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(add --help for the options)')
    // eslint-disable-next-line no-process-exit -- Commander ends with 1, which says that a check failed.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : MALFORMED))
    .action(run);

async function run({ kubeconfig, context, profile, awsEndpoint, ...request }: Flags): Promise<void> {
  if (profile !== undefined) {
    // For the AWS clients, and for the programs that a kubeconfig starts to log in.
    process.env['AWS_PROFILE'] = profile;
  }
  const ownConnection = kubeconfig === undefined && context === undefined;
  process.exitCode = await doctor(
    request,
    {
      now: systemClock.now(),
      kubeconfig: ownConnection ? null : { file: kubeconfig ?? null, context: context ?? null },
      ...(awsEndpoint === undefined ? {} : { endpoint: awsEndpoint }),
    },
    process,
  );
}
