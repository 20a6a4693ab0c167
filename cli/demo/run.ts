import { printableData } from '@outrigger/core/model/values/printable.ts';
import type { Readable } from 'node:stream';
import { explainInvalid } from '@outrigger/providers/manifest/invalid.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { EXIT } from '../exit-codes.ts';
import { invalidMessages, malformedMessages, readOnlyDocument } from '../simulate/read-document.ts';
import { placeText } from '../terminal/sources.ts';
import { progressOn } from '../terminal/progress.ts';
import { type TerminalStreams, write, writeLines } from '../terminal/streams.ts';
import { jsonText } from '../terminal/json-text.ts';
import { styleOf } from '../terminal/style.ts';
import { clockTime } from '../terminal/clock-time.ts';
import { readReplaySettings } from '../replay/settings.ts';
import { createDecisionLog } from '../html/decisions.ts';
import { demoReport } from '../html/demo-report.ts';
import { createNeeds } from '../html/needs.ts';
import { writeReport } from '../html/write-report.ts';
import { DEFAULT_LOAD } from '@outrigger/simulation/load/default-load.ts';
import type { DemoLoad } from '@outrigger/simulation/load/load.ts';
import { onClusterApi, withShortNames } from '@outrigger/simulation/load/on-cluster-api.ts';
import { printed } from './show/printed.ts';
import { readLoad } from '@outrigger/simulation/load/read-load.ts';
import { record } from '@outrigger/simulation/recording/record.ts';

export interface DemoOptions {
  /** The same as the output `json`. */
  readonly json: boolean;
  readonly output?: 'text' | 'json';
  /** Accepted until the next version, without effect. */
  readonly speed?: string;
  /** The provider of the node groups. */
  readonly provider: ProviderName;
  /** Absent: the seed of the load. */
  readonly seed?: number;
  /** A file, or `-` for standard input; absent: the built-in load. */
  readonly load?: string;
  /** Options in place of the load's: `option=value`. */
  readonly set?: readonly string[];
  /** A file for a page about the run. */
  readonly html?: string;
}

/**
 * Runs a load and prints the run as JSON or as text.
 *
 * @returns the exit code: 0, 1 when the page cannot be written, or 2 when the load is malformed.
 */
export async function demo(options: DemoOptions, { stdin, stdout, stderr }: TerminalStreams): Promise<number> {
  const load = await loadFor(options, stdin);
  if (!load.ok) {
    await writeLines(stderr, load.error);
    return EXIT.invalid;
  }
  if (options.speed !== undefined) {
    await write(stderr, 'Warning: --speed has no effect any more: the run is printed at once.\n');
  }
  const progress = progressOn(stderr);
  const decisions = createDecisionLog();
  const needs = createNeeds();
  const recording = await record(
    { ...load.value, seed: options.seed ?? load.value.seed },
    {
      provider: options.provider,
      watch: (scenario, decision) => {
        if (options.html !== undefined) {
          decisions.take(scenario, decision);
          needs.take(scenario, decision);
        }
      },
      onTime: (seconds) => progress.say(() => `Simulating: ${clockTime(seconds)} of virtual time …`),
    },
  );
  progress.clear();
  if (options.html !== undefined) {
    const written = await writeReport(
      demoReport(recording, decisions.all(), needs.samples, load.value.start),
      options.html,
      stderr,
    );
    if (!written) {
      return EXIT.failed;
    }
  }
  if (options.json || options.output === 'json') {
    await write(stdout, jsonText(recording));
  } else {
    await write(stdout, printed(withShortNames(recording), styleOf(stdout)));
  }
  return EXIT.done;
}

async function loadFor(
  { load: file, provider, set }: DemoOptions,
  stdin: Readable,
): Promise<Result<DemoLoad, readonly string[]>> {
  const settings = readReplaySettings(set);
  if (!settings.ok) {
    return settings;
  }
  const given = await loadFrom(file, stdin);
  if (!given.ok) {
    return given;
  }
  const load: DemoLoad = { ...given.value, options: { ...given.value.options, ...settings.value } };
  if (provider === 'aws') {
    return ok(load);
  }
  if (file !== undefined) {
    return onClusterApi(load);
  }
  // The built-in load is the same one, with all of its batch nodes in one zone.
  return onClusterApi({ ...load, groups: load.groups.map((group) => ({ ...group, zones: group.zones.slice(0, 1) })) });
}

async function loadFrom(file: string | undefined, stdin: Readable): Promise<Result<DemoLoad, readonly string[]>> {
  if (file === undefined) {
    const load = readLoad(DEFAULT_LOAD);
    return load.ok ? load : err(load.error.map(explainInvalid));
  }
  const read = await readOnlyDocument(file, stdin, 'Workload', ({ content }) => {
    if (content.kind === 'malformed') {
      return err(malformedMessages(content));
    }
    // Names from the file are printed to a terminal: control characters in them are escaped.
    const load = readLoad(printableData(content.value));
    return load.ok ? load : err(invalidMessages(load.error, content));
  });
  return read.ok ? read : err(read.error.map(({ line, text }) => `${placeText(file, line)}: ${text}`));
}
