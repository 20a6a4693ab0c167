import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { systemClock } from '../../functions/shared/clock.ts';
import { printYaml } from '@outrigger/providers/scenario/documents.ts';
import { redact } from '@outrigger/providers/scenario/redaction/redact.ts';
import { writeScenario } from '@outrigger/providers/scenario/scenario.ts';
import { failLive } from '../live/fail.ts';
import { type LiveFlags, withLiveFlags } from '../live/flags.ts';
import { noGroups, observeLive } from '../live/observe.ts';
import { createLog } from '../local/log.ts';
import { jsonText } from '../terminal/json-text.ts';
import { withProgress } from '../terminal/progress.ts';
import { write } from '../terminal/streams.ts';

const NOTES = `
The file is input for outrigger simulate, which then makes the decision of an evaluation at that moment. The file has the parts
of objects that decisions read, with the names, labels and annotations of your pods and nodes.

--redact replaces names, namespaces, labels, annotations, taints, UIDs and messages by words such as name-000012. Equal names
remain equal and in the same order, so the decision is the same. Amounts, times, zones, instance types and options remain; so do
the names of resources such as nvidia.com/gpu, the number of objects, their selections, and the seed. A guess of the cluster's
name can be checked by the seed. --names writes the original of each name, to be kept.

Examples:
  $ outrigger snapshot --cluster prod --region eu-west-1 -o cluster.yaml
  $ outrigger snapshot --cluster prod --region eu-west-1 --redact --names names.yaml -o report.yaml

Exit code:
  0  the scenario was written, with a warning where there are no node groups
  1  the cluster or its node groups cannot be read
  2  the command line, the configuration or the options file is invalid`;

interface Flags extends LiveFlags {
  readonly output?: string;
  /** Absent: YAML. */
  readonly format?: 'yaml' | 'json';
  readonly redact?: true;
  readonly names?: string;
}

/** `outrigger snapshot`: a live cluster as a scenario. */
export const snapshotCommand = (): Command =>
  withLiveFlags(
    new Command('snapshot').description('Write a live cluster as a scenario, to simulate it. Changes nothing'),
  )
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .addOption(
      new Option('--format <format>', 'format of the scenario; a large one in JSON is read faster')
        .choices(['yaml', 'json'])
        .default('yaml'),
    )
    .option('--redact', 'replace what users have named, to pass the file on; the decision stays the same')
    .option('--names <file>', 'with --redact: file to write that has the original of each name, in YAML')
    .addHelpText('after', NOTES)
    .action(async (flags: Flags, command: Command) => {
      if (flags.names !== undefined && flags.redact !== true) {
        command.error('error: --names needs --redact: without it all names are in the scenario');
      }
      try {
        await snapshot(flags);
        process.exit();
      } catch (error) {
        failLive(command, error);
      }
    });

/**
 * Reads the cluster, and writes its scenario.
 *
 * @throws where the cluster or its node groups cannot be read
 */
export async function snapshot(flags: Flags): Promise<void> {
  const log = createLog('text', 'warn', (line) => process.stderr.write(line));
  // Loaded when it is needed: help does not wait for the AWS clients.
  const { connect } = await import('../live/connect.ts');
  const connected = await connect(flags, (message) => log.warn(message));
  const scenario = await withProgress(process.stderr, `Reading cluster ${connected.cluster.name} …`, () =>
    observeLive({ ...connected, now: systemClock.now, log }, AbortSignal.timeout(TIMEOUT_MS)),
  );
  if (scenario.nodeGroups.length === 0) {
    log.warn(noGroups(connected));
  }
  const { document, originals } =
    flags.redact === true ? redact(scenario) : { document: writeScenario(scenario), originals: {} };
  if (flags.names !== undefined) {
    await writeFile(flags.names, printYaml(originals), { mode: OWNER_ALONE });
  }
  const text = flags.format === 'json' ? jsonText(document) : printYaml(document);
  await (flags.output === undefined ? write(process.stdout, text) : writeFile(flags.output, text));
}

/** The file of names is not for others. */
const OWNER_ALONE = 0o600;

/** How long reading the cluster may take. */
const TIMEOUT_MS = 300_000;
