import { Command } from 'commander';
import {
  accessBy,
  type DrainFlags,
  drainLimitOf,
  type PlaceFlags,
  withDrainFlags,
  withPlaceFlags,
} from '../install/flags.ts';
import { uninstallSteps } from '../install/print.ts';
import { printInstead, runSteps } from '../install/run.ts';
import { uninstall } from '../uninstall/uninstall.ts';

interface Flags extends PlaceFlags, DrainFlags {
  readonly deleteTable?: true;
  readonly confirm?: string;
  readonly dryRun?: true;
  readonly print?: true;
}

const EXPLANATION = `
Steps:
  1. switches the schedules of the stack off: no drain begins any more
  2. removes the webhook from the cluster
  3. waits for drains to end, for as long as --drain-timeout; stops those that are left
  4. takes the taints, cordons, labels and annotations of Outrigger off nodes
  5. removes RBAC, FlowSchema and priority level from the cluster
  6. deletes the stack
The steps are idempotent: after an interruption, run the command again.

The DynamoDB table with the state is protected from deletion, and kept when the stack is deleted.
To delete the table, give --delete-table, and the name of the cluster with --confirm.

Examples:
  $ outrigger uninstall --cluster prod --dry-run
  $ outrigger uninstall --cluster prod
  $ outrigger uninstall --cluster prod --cancel-drains --delete-table --confirm prod

Exit code:
    0  uninstalled
    1  a step failed; run again, the command goes on from there
    2  the command line or the configuration is invalid; nothing was done
  130  interrupted by Ctrl+C; run again, the command goes on from there`;

/** `outrigger uninstall`: removes Outrigger from a cluster and its account. */
export const uninstallCommand = (): Command =>
  withDrainFlags(
    withPlaceFlags(
      new Command('uninstall').description('Remove Outrigger from a cluster: drains, taints, webhook, RBAC, stack'),
    ),
  )
    .option('--delete-table', 'delete the table with the state, too; needs --confirm')
    .option('--confirm <name>', 'the name of the cluster once more, for --delete-table')
    .option('--dry-run', 'say what each step would do, and do nothing')
    .option('--print', 'print the steps as commands, and do nothing')
    .addHelpText('after', EXPLANATION)
    .action(run);

async function run(flags: Flags, command: Command): Promise<void> {
  const deleteTable = flags.deleteTable ?? false;
  if (deleteTable && flags.confirm !== flags.cluster) {
    command.error(`error: --delete-table deletes the state of the cluster: confirm it by --confirm ${flags.cluster}`);
  }
  if (flags.print === true) {
    process.exitCode = await printInstead(flags, uninstallSteps, false, process);
    return;
  }
  const request = { drainLimitMs: drainLimitOf(flags), deleteTable, dryRun: flags.dryRun ?? false };
  process.exitCode = await runSteps(
    flags,
    accessBy(flags),
    (place, journal) => uninstall(place, request, journal),
    process,
  );
}
