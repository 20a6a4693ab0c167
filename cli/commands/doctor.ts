import { Command } from 'commander';
import { type DoctorRequest, doctor } from '../doctor/run.ts';
import { runForClusters, withAllClusters } from '../live/all-clusters.ts';
import { accessBy, withPlaceFlags } from '../install/flags.ts';
import { type AccessFlags, noRoleOption } from '../live/flags.ts';

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
  withAllClusters(
    withPlaceFlags(
      new Command('doctor').description(
        'Check an AWS account and a cluster before a deployment, with your own permissions. Changes nothing',
      ),
      'output format; text is for people and may change',
    ),
  )
    .addOption(noRoleOption())
    .addHelpText('after', EXAMPLES)
    .action(run);

async function run(flags: AccessFlags & DoctorRequest, command: Command): Promise<void> {
  const { now, ...access } = accessBy(flags);
  process.exitCode = await runForClusters(flags, command, (own, output) =>
    doctor(own, { ...access, now: now() }, output),
  );
}
