import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { printable } from '../../core/model/values/printable.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import { printYaml } from '../../providers/scenario/documents.ts';
import { writeScenario } from '../../providers/scenario/scenario.ts';
import { type LiveFlags, withLiveFlags } from '../live/flags.ts';
import { noGroups, observeLive } from '../live/observe.ts';
import { createLog, errorText } from '../local/log.ts';
import { write } from '../terminal/streams.ts';

const NOTES = `
The file is input for outrigger simulate, which decides what an evaluation would have decided at that moment. Of the objects
it has what decisions ask about; it has the names, labels and annotations of your pods and nodes.`;

/** `outrigger snapshot`: a live cluster as a scenario. */
export const snapshotCommand = (): Command =>
  withLiveFlags(
    new Command('snapshot').description('Write a live cluster as a scenario, to simulate it. Changes nothing'),
  )
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .addHelpText('after', NOTES)
    .action(async (flags: LiveFlags & { readonly output?: string }, command: Command) => {
      try {
        await snapshot(flags);
        process.exit();
      } catch (error) {
        command.error(`error: ${printable(errorText(error))}`);
      }
    });

async function snapshot(flags: LiveFlags & { readonly output?: string }): Promise<void> {
  const log = createLog(
    'text',
    'warn',
    (line) => process.stderr.write(line),
    () => new Date(),
  );
  // Loaded when it is needed: help does not wait for the AWS clients.
  const { connect } = await import('../live/connect.ts');
  const { cluster, region, discovery, server } = await connect(flags, (message) => log.warn(message));
  const scenario = await observeLive(
    { cluster, server: server.origin, region, discovery, now: systemClock.now, log },
    AbortSignal.timeout(TIMEOUT_MS),
  );
  if (scenario.nodeGroups.length === 0) {
    log.warn(noGroups({ cluster, region, discovery }));
  }
  const text = printYaml(writeScenario(scenario));
  await (flags.output === undefined ? write(process.stdout, text) : writeFile(flags.output, text));
}

/** How long reading the cluster may take. */
const TIMEOUT_MS = 300_000;
