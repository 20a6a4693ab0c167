import { required } from '@outrigger/core/model/values/existing.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import { Command, Option } from 'commander';
import {
  accessBy,
  type DrainFlags,
  drainLimitOf,
  type PlaceFlags,
  withDrainFlags,
  withPlaceFlags,
} from '../install/flags.ts';
import { install } from '../install/install.ts';
import { installSteps } from '../install/print.ts';
import { printInstead, runSteps } from '../install/run.ts';
import { type RunForCluster, runForClusters, withAllClusters } from '../live/all-clusters.ts';
import type { Deploy } from '../install/steps/deploy.ts';
import { deployWithCdk, findCdk } from '../install/stack/cdk.ts';
import { TOKEN_VARIABLE } from '../install/token.ts';

interface Flags extends PlaceFlags, DrainFlags {
  readonly rotateToken?: true;
  readonly skipWebhookTest?: true;
  readonly ring: boolean;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly print?: true;
}

const EXPLANATION = `
Steps:
  1. checks the account and the cluster, as outrigger doctor does; goes on if no check fails
  2. deploys the stack with the AWS CDK; a new stack has its schedules off
  3. applies RBAC and webhook to the cluster by server-side apply, as field manager outrigger
  4. has the API server send a notification through the webhook, and waits for it: it creates an event in the namespace default as system:kube-scheduler, and deletes it
  5. switches the schedules on
The steps are idempotent: after an interruption, run the command again.

Where the stack acts and the configuration says mode: observe, it first switches the schedules off,
waits for drains to end, for as long as --drain-timeout, stops those that are left, and takes the
taints of Outrigger off nodes: afterwards the roles have no right to.

The token of the webhook is kept where the stack accepts it, and made otherwise. Where the
configuration fixes webhookTokenHashes, give the token in ${TOKEN_VARIABLE}.

Examples:
  $ outrigger install --cluster prod --region eu-west-1
  $ outrigger install --cluster prod --dry-run
  $ outrigger install --cluster prod --print > outrigger.yaml
  $ outrigger install --cluster prod --rotate-token
  $ outrigger install --all-clusters --yes -o json

Exit code:
    0  installed
    1  a step failed; run again, the command goes on from there
    2  the command line or the configuration is invalid; nothing was done
  130  interrupted by Ctrl+C; run again, the command goes on from there`;

/** `outrigger install`: deploys the stack of a cluster, and what belongs to it in the cluster. */
export const installCommand = (): Command =>
  withAllClusters(
    withDrainFlags(
      withPlaceFlags(
        new Command('install').description(
          'Install Outrigger for a cluster: deploy the stack, apply RBAC and webhook, test the webhook',
        ),
      ),
    ),
  )
    .option('--rotate-token', 'give the webhook a new token, without a notification that is refused')
    .option('--skip-webhook-test', 'install without the webhook test')
    // The name of the option before, for one version.
    .addOption(new Option('--no-ring').hideHelp())
    .option('--yes', 'do not ask about changes of permissions (default without a terminal)')
    .option('--dry-run', 'check, say what each step would do, and do nothing')
    .option('--print', 'print the steps as commands and the manifests as YAML, for GitOps, and do nothing')
    .addHelpText('after', EXPLANATION)
    .action(run);

async function run(given: Flags, command: Command): Promise<void> {
  process.exitCode = await runForClusters(given, command, installCluster);
}

const installCluster: RunForCluster<Flags> = async (flags, output) => {
  if (flags.print === true) {
    return await printInstead(flags, installSteps, true, output);
  }
  const dryRun = flags.dryRun ?? false;
  return await runSteps(
    flags,
    accessBy(flags),
    async (place, journal) => {
      const asks = flags.yes !== true && process.stdin.isTTY && process.stderr.isTTY;
      // Found before anything is done.
      const cdk = dryRun ? null : findCdk(process.cwd());
      const request = {
        rotateToken: flags.rotateToken ?? false,
        testsWebhook: flags.ring && flags.skipWebhookTest !== true,
        drainLimitMs: drainLimitOf(flags),
        dryRun,
        token: process.env[TOKEN_VARIABLE] ?? null,
      };
      const { region, file: config } = place;
      const deploy: Deploy = (parameters) =>
        deployWithCdk(required(cdk, 'the CDK'), { cluster: flags.cluster, region, config, parameters, asks });
      await install(place, deploy, request, journal);
      return presentItems([
        !dryRun && `Outrigger is installed for cluster ${flags.cluster} (mode ${place.config.mode}).`,
      ]);
    },
    output,
  );
};
