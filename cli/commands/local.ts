import { Command } from 'commander';
import { systemClock } from '../../functions/shared/clock.ts';
import { failLive } from '../live/fail.ts';
import { waitForEnd } from '../local/end.ts';
import { type Flags, withFlags } from '../local/flags.ts';
import { createLog } from '../local/log.ts';
import type { LocalRun } from '../local/run.ts';
import { withProgress } from '../terminal/progress.ts';

const EXAMPLES = `
Examples:
  $ outrigger local --cluster prod --region eu-west-1 --dry-run --once
  $ outrigger local --cluster prod --context staging --profile work --dry-run --once -o json
  $ outrigger local --cluster prod --region eu-west-1 --dry-run --ui
  $ outrigger local --cluster prod --region eu-west-1 --listen 10.0.0.5:8443 --install-webhook

Exit code:
  0  evaluated, or ended by a signal
  1  the command line or a file is invalid, the cluster or its node groups cannot be read, or there are none
  2  with --detailed-exitcode: something would be changed`;

/** `outrigger local`: scales a cluster from this process, with the functions that run on AWS. */
export const localCommand = (): Command =>
  withFlags(
    new Command('local').description(
      'Scale a cluster from this computer: the functions that run on AWS, in one process',
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action(run);

async function run(flags: Flags, command: Command): Promise<never> {
  if (flags.installWebhook === true && flags.listen === undefined) {
    command.error('error: --install-webhook needs --listen: the API server sends its notifications there');
  }
  if (flags.replaceWebhook === true && flags.installWebhook !== true) {
    command.error('error: --replace-webhook needs --install-webhook: it says what may be replaced');
  }
  if (flags.once === true && flags.dryRun !== true) {
    command.error('error: --once needs --dry-run: it evaluates, and changes nothing');
  }
  if (flags.once === true && (flags.address !== undefined || flags.ui === true)) {
    command.error('error: --once evaluates and ends: there is nothing to serve at --address or with --ui');
  }
  const log = createLog(flags.log, flags.verbose === true ? 'debug' : 'info', (line) => process.stdout.write(line));
  if (flags.once === true) {
    return await once(flags, command);
  }
  const end = waitForEnd(log);
  let running: LocalRun;
  try {
    // Loaded when it is needed: help does not wait for the AWS clients.
    const { start } = await import('../local/start.ts');
    running = await start(flags, log);
  } catch (error) {
    end.forget();
    return failLive(command, error);
  }
  let code = await end.exitCode;
  try {
    await running.close();
  } catch (error) {
    log.error('The shutdown was not complete', { error });
    code = 1;
  }
  process.exit(code);
}

/** Evaluates the cluster once, and prints the result. */
async function once(flags: Flags, command: Command): Promise<never> {
  try {
    const warnings = createLog('text', 'warn', (line) => process.stderr.write(line));
    const [{ connect }, { evaluateLiveOnce }] = await Promise.all([
      import('../live/connect.ts'),
      import('../local/once.ts'),
    ]);
    const connected = await connect(flags, (message) => warnings.warn(message), SHORT_PATIENCE);
    const code = await withProgress(process.stderr, `Reading cluster ${connected.cluster.name} …`, () =>
      evaluateLiveOnce(
        { ...connected, now: systemClock.now, log: warnings },
        { output: flags.output, detailedExitcode: flags.detailedExitcode ?? false },
        process.stdout,
        AbortSignal.timeout(flags.timeout),
      ),
    );
    process.exit(code);
  } catch (error) {
    return failLive(command, error);
  }
}

/** A user waits for the answer, and can run the command again. */
const SHORT_PATIENCE = { maxAttempts: 2 };
