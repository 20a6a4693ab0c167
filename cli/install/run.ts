import { setImmediate } from 'node:timers/promises';
import type { ClusterConfig } from '../../config/schema.ts';
import { printable, printableData } from '@outrigger/core/model/values/printable.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { EXIT } from '../exit-codes.ts';
import { configuredCluster, defaultsOf, type FoundCluster, type CommandLineNames } from '../live/configured.ts';
import { errorText } from '../local/log.ts';
import { type TerminalStreams, write } from '../terminal/streams.ts';
import { tellWhenInterrupted } from './interruption.ts';
import { type Journal, startJournal, StepError } from './journal.ts';
import { type InstallAccess, openPlace, type InstallPlace } from './place.ts';
import { type PrintedFor, type PrintedStep, printedJson, printedManifests, printedSteps } from './print.ts';
import { deployCommand } from './stack/cdk.ts';

type Output = Pick<TerminalStreams, 'stdout' | 'stderr'>;

export interface RunRequest extends CommandLineNames {
  readonly output: 'text' | 'json';
}

/** The configuration of the cluster, or its problems, told on stderr. */
async function configured(
  named: CommandLineNames,
  stderr: Output['stderr'],
): Promise<Result<FoundCluster | null, number>> {
  const found = configuredCluster(named);
  if (found.ok) {
    return ok(found.value);
  }
  await write(stderr, found.error.map((line) => `${printable(line)}\n`).join(''));
  return err(EXIT.invalid);
}

type StepsFor = (cluster: PrintedFor) => readonly PrintedStep[];

/**
 * Prints the steps, and what belongs to them; does nothing.
 *
 * @param stepsFor the steps for a cluster
 * @param print what is printed, as text
 */
async function printedInstead(
  request: RunRequest,
  stepsFor: StepsFor,
  print: (steps: readonly PrintedStep[], config: ClusterConfig) => string,
  { stdout, stderr }: Output,
): Promise<number> {
  const found = await configured(request, stderr);
  if (!found.ok) {
    return found.error;
  }
  const {
    cluster: config,
    file,
    warnings,
  } = found.value ?? { cluster: defaultsOf(request.cluster), file: null, warnings: [] };
  await write(stderr, warnings.map((line) => `Warning: ${printable(line)}\n`).join(''));
  const region = request.region ?? config.region;
  const regionIsSaid = file === null || config.region !== null;
  const deploy = deployCommand({ cluster: request.cluster, region, config: file }, regionIsSaid, process.cwd());
  await write(stdout, print(stepsFor({ config, region, deploy }), config));
  return EXIT.done;
}

/** Prints the steps and the manifests, and does nothing. */
export const printInstead = (request: RunRequest, stepsFor: StepsFor, output: Output): Promise<number> =>
  printedInstead(request, stepsFor, request.output === 'json' ? printedJson : printedManifests, output);

/** Prints the steps, and does nothing. */
export const printStepsInstead = (request: RunRequest, stepsFor: StepsFor, output: Output): Promise<number> =>
  printedInstead(
    request,
    stepsFor,
    (steps) => (request.output === 'json' ? `${JSON.stringify({ steps }, null, 2)}\n` : printedSteps(steps)),
    output,
  );

/**
 * Takes the steps of a command, tells of each on stderr, and reports them on stdout.
 *
 * @returns the exit code: 0, 1 when a step failed, or 2 when the configuration is wrong
 */
export async function runSteps(
  request: RunRequest,
  access: InstallAccess,
  take: (place: InstallPlace, journal: Journal) => Promise<readonly string[]>,
  { stdout, stderr }: Output,
): Promise<number> {
  const found = await configured(request, stderr);
  if (!found.ok) {
    return found.error;
  }
  const tell = (line: string): void => void stderr.write(`${printable(line)}\n`);
  const journal = startJournal(tell);
  const heedNoMore = tellWhenInterrupted(journal, tell);
  let notes: readonly string[] = [];
  let failure: unknown = null;
  let region = request.region ?? null;
  try {
    const place = await openPlace(request, found.value, access);
    ({ region } = place);
    try {
      notes = await take(place, journal);
    } finally {
      place.close();
    }
  } catch (error) {
    failure = error;
  } finally {
    // The signal may have caused the failure before it was heard.
    await setImmediate();
    heedNoMore();
  }
  const report = { cluster: request.cluster, region, steps: journal.steps, notes, ...failureFields(failure) };
  if (request.output === 'json') {
    await write(stdout, `${JSON.stringify(printableData(report), null, 2)}\n`);
  } else {
    await write(stdout, notes.map((note) => `${printable(note)}\n`).join(''));
    await write(stderr, toldFailure(failure, journal));
  }
  return failure === null ? EXIT.done : EXIT.failed;
}

function failureFields(failure: unknown) {
  const remedy = failure instanceof StepError ? failure.remedy : [];
  return failure === null ? {} : { error: errorText(failure), remedy };
}

function toldFailure(failure: unknown, { steps }: Journal): string {
  if (failure === null) {
    return '';
  }
  const told = steps.some(({ status }) => status === 'failed');
  const remedy = failure instanceof StepError ? failure.remedy : [];
  return [
    ...(told ? [] : [`error: ${errorText(failure)}`]),
    ...remedy.map((line) => `    ${line}`),
    ...(told ? ['Run the command again to go on from here.'] : []),
  ]
    .map((line) => `${printable(line)}\n`)
    .join('');
}
