import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { CONFIG_FILE } from '../../config/read.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { printable } from '@outrigger/core/model/values/printable.ts';
import { textIf } from '@outrigger/core/model/values/optional.ts';
import { EXIT } from '../exit-codes.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type TerminalStreams, write, writeLines } from '../terminal/streams.ts';
import { errorText } from '../local/log.ts';
import { type CommandLineNames, readConfigurationFile } from './configured.ts';

type Output = Pick<TerminalStreams, 'stdout' | 'stderr'>;

/** The flags of a command for one cluster, or for each cluster of the configuration. */
export interface ClusterFlags extends CommandLineNames {
  readonly allClusters?: true;
  readonly output: 'text' | 'json';
}

/** Runs a command for the cluster of its flags, and returns its exit code. */
export type RunForCluster<Flags> = (flags: Flags, output: Output) => Promise<number>;

const OPTION = '--all-clusters';

/** Declares the option, which `runForClusters` heeds. */
export const withAllClusters = (command: Command): Command =>
  command.addOption(
    new Option(
      OPTION,
      'each cluster of the configuration, instead of --cluster; with --region those of the region',
    ).implies({ cluster: '' }),
  );

/** Runs a command for the cluster of its flags, or with `--all-clusters` for each cluster. Returns the exit code. */
export async function runForClusters<Flags extends ClusterFlags>(
  flags: Flags,
  command: Command,
  run: RunForCluster<Flags>,
): Promise<number> {
  if (flags.allClusters !== true) {
    return await run(flags, process);
  }
  if (command.getOptionValueSource('cluster') === 'cli') {
    command.error(`error: option '${OPTION}' cannot be used with option '--cluster <name>'`);
  }
  return await runForAll(flags, run, process);
}

/**
 * Runs a command for each cluster of the configuration, one after the other: a cluster that fails does not stop the others.
 * As JSON, the output is one document that has the document of each cluster.
 *
 * @returns the exit code: 0, 1 if a cluster failed, or 2 if the configuration is wrong
 */
export async function runForAll<Flags extends ClusterFlags>(
  flags: Flags,
  run: RunForCluster<Flags>,
  { stdout, stderr }: Output,
): Promise<number> {
  const read = readConfigurationFile(flags.config);
  if (!read.ok) {
    await writeLines(stderr, read.error);
    return EXIT.invalid;
  }
  const clusters = (read.value?.clusters ?? []).filter(
    ({ region }) => flags.region === undefined || region === null || region === flags.region,
  );
  if (clusters.length === 0) {
    const file = flags.config ?? CONFIG_FILE;
    await write(stderr, `${printable(file)}: expected clusters in ${flags.region ?? 'any region'}, found none\n`);
    return EXIT.invalid;
  }
  const results: ClusterResult[] = [];
  for (const { name: cluster, region: own } of clusters) {
    const region = own ?? flags.region;
    const place = present({ region });
    const captured = new PassThrough();
    const [whole, output] = [text(captured), flags.output === 'json' ? captured : stdout];
    await write(stderr, `${textIf(results.length > 0, '\n')}Cluster ${cluster}\n`);
    const exitCode = await run({ ...flags, cluster, ...place }, { stdout: output, stderr }).catch(
      async (error: unknown) => {
        await write(stderr, `error: ${printable(errorText(error))}\n`);
        return EXIT.failed;
      },
    );
    captured.end();
    results.push({ cluster, ...place, exitCode, result: documentIn(await whole) });
  }
  const failed = results.filter(({ exitCode }) => exitCode !== EXIT.done).map(({ cluster }) => cluster);
  if (flags.output === 'json') {
    await write(stdout, jsonText({ clusters: results }));
  }
  if (failed.length === 0) {
    return EXIT.done;
  }
  await write(stderr, `error: ${failed.length} of ${results.length} clusters failed: ${failed.join(', ')}\n`);
  return EXIT.failed;
}

/** The outcome for one cluster. */
interface ClusterResult {
  readonly cluster: string;
  readonly region?: string;
  readonly exitCode: number;
  /** The document that the command prints for one cluster; `null`: the command printed none. */
  readonly result: unknown;
}

const documentIn = (printed: string): unknown => (printed === '' ? null : JSON.parse(printed));
