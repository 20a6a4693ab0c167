import { setImmediate } from 'node:timers/promises';
import { printable, printableData } from '@outrigger/core/model/values/printable.ts';
import { EXIT, InvalidSettings } from '../exit-codes.ts';
import { configuredCluster, defaultsOf, type CommandLineNames } from '../live/configured.ts';
import { errorText } from '../local/log.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type TerminalStreams, write, writeLines } from '../terminal/streams.ts';
import { tellWhenInterrupted } from './interruption.ts';
import { type Journal, startJournal, StepError } from './journal.ts';
import { type InstallAccess, openPlace, type InstallPlace } from './place.ts';
import { printedDocument, type PrintedFor, type PrintedStep } from './print.ts';
import { deployCommand } from './stack/cdk.ts';

type Output = Pick<TerminalStreams, 'stdout' | 'stderr'>;

export interface RunRequest extends CommandLineNames {
  readonly output: 'text' | 'json';
}

/** Prints the steps for a cluster, with the manifests where these are applied by hand; does nothing. */
export async function printInstead(
  request: RunRequest,
  stepsFor: (cluster: PrintedFor) => readonly PrintedStep[],
  withManifests: boolean,
  { stdout, stderr }: Output,
): Promise<number> {
  const found = configuredCluster(request);
  if (!found.ok) {
    await writeLines(stderr, found.error);
    return EXIT.invalid;
  }
  const { cluster: config = defaultsOf(request.cluster), file = null, warnings = [] } = found.value ?? {};
  await writeLines(
    stderr,
    warnings.map((warning) => `Warning: ${warning}`),
  );
  const region = request.region ?? config.region;
  const regionIsSaid = file === null || config.region !== null;
  const deploy = deployCommand({ cluster: request.cluster, region, config: file }, regionIsSaid, process.cwd());
  const steps = stepsFor({ config, region, deploy });
  await write(stdout, printedDocument(steps, withManifests ? config : null, request.output));
  return EXIT.done;
}

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
  const found = configuredCluster(request);
  if (!found.ok) {
    await writeLines(stderr, found.error);
    return EXIT.invalid;
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
    await write(stdout, jsonText(printableData(report)));
  } else {
    await writeLines(stdout, notes);
    await writeLines(stderr, failureLines(failure, journal));
  }
  if (failure === null) {
    return EXIT.done;
  }
  return failure instanceof InvalidSettings ? EXIT.invalid : EXIT.failed;
}

const failureFields = (failure: unknown) =>
  failure === null ? {} : { error: errorText(failure), remedy: remedyOf(failure) };

function failureLines(failure: unknown, { steps }: Journal): readonly string[] {
  if (failure === null) {
    return [];
  }
  const remedy = remedyOf(failure).map((line) => `    ${line}`);
  if (steps.some(({ status }) => status === 'failed')) {
    return [...remedy, 'Run the command again to go on from here.'];
  }
  return [`error: ${errorText(failure)}`, ...remedy];
}

const remedyOf = (failure: unknown): readonly string[] => (failure instanceof StepError ? failure.remedy : []);
