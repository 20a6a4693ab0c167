import { Command } from 'commander';
import { printable } from '../../core/model/values/printable.ts';
import { waitForEnd } from '../local/end.ts';
import { type Flags, withFlags } from '../local/flags.ts';
import { createLog, errorText } from '../local/log.ts';
import type { LocalRun } from '../local/run.ts';
import { start } from '../local/start.ts';

/** `outrigger local`: scales a cluster from this process, with the functions that run on AWS. */
export const localCommand = (): Command =>
  withFlags(
    new Command('local').description(
      'Scale a cluster from this computer: the functions that run on AWS, in one process',
    ),
  ).action(run);

async function run(flags: Flags, command: Command): Promise<never> {
  if (flags.installWebhook === true && flags.listen === undefined) {
    command.error('error: --install-webhook needs --listen: the API server sends its notifications there');
  }
  const log = createLog(
    flags.log,
    flags.verbose === true ? 'debug' : 'info',
    (line) => process.stdout.write(line),
    () => new Date(),
  );
  const end = waitForEnd(log);
  let running: LocalRun;
  try {
    running = await start(flags, log);
  } catch (error) {
    end.forget();
    command.error(`error: ${printable(errorText(error))}`);
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
