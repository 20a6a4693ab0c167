import type { ClusterConfig } from '../../config/schema.ts';
import { printable, printableData } from '../../core/model/values/printable.ts';
import { err, ok, type Result } from '../../core/model/values/result.ts';
import { type Configured, configuredCluster, defaultsOf, type Named } from '../live/configured.ts';
import { errorText } from '../local/log.ts';
import { type Streams, write } from '../terminal/streams.ts';
import { type Journal, startJournal, StepError } from './journal.ts';
import { type Access, openPlace, type Place } from './place.ts';
import { type PrintedStep, printedJson, printedManifests, printedSteps } from './print.ts';

/** Everything is as it should be. */
const DONE = 0;
/** A step failed; run again, the command goes on from there. */
const FAILED = 1;
/** The command line or the configuration is wrong; nothing was done. */
export const MALFORMED = 2;

type Output = Pick<Streams, 'stdout' | 'stderr'>;

export interface RunRequest extends Named {
  readonly output: 'text' | 'json';
}

/** What the configuration says of the cluster, or what is wrong with it, told on stderr. */
async function configured(named: Named, stderr: Output['stderr']): Promise<Result<Configured | null, number>> {
  const found = configuredCluster(named);
  if (found.ok) {
    return ok(found.value);
  }
  await write(stderr, found.error.map((line) => `${printable(line)}\n`).join(''));
  return err(MALFORMED);
}

type StepsFor = (config: ClusterConfig, region: string | null) => readonly PrintedStep[];

/**
 * Prints the steps and the manifests, and does nothing.
 *
 * @param stepsFor the steps for a cluster in a region (`null`: that of the AWS environment)
 */
export async function printInstead(
  request: RunRequest,
  stepsFor: StepsFor,
  { stdout, stderr }: Output,
): Promise<number> {
  const found = await configured(request, stderr);
  if (!found.ok) {
    return found.error;
  }
  const config = found.value?.cluster ?? defaultsOf(request.cluster);
  const print = request.output === 'json' ? printedJson : printedManifests;
  const steps = stepsFor(config, request.region ?? config.region);
  await write(stdout, print(steps, config));
  return DONE;
}

/** Prints the steps, and does nothing. */
export async function printStepsInstead(
  request: RunRequest,
  stepsFor: StepsFor,
  { stdout, stderr }: Output,
): Promise<number> {
  const found = await configured(request, stderr);
  if (!found.ok) {
    return found.error;
  }
  const config = found.value?.cluster ?? defaultsOf(request.cluster);
  const steps = stepsFor(config, request.region ?? config.region);
  await write(stdout, request.output === 'json' ? `${JSON.stringify({ steps }, null, 2)}\n` : printedSteps(steps));
  return DONE;
}

/**
 * Takes the steps of a command, tells of each on stderr, and reports them on stdout.
 *
 * @returns the exit code: 0, 1 when a step failed, or 2 when the configuration is wrong
 */
export async function runSteps(
  request: RunRequest,
  access: Access,
  take: (place: Place, journal: Journal) => Promise<readonly string[]>,
  { stdout, stderr }: Output,
): Promise<number> {
  const found = await configured(request, stderr);
  if (!found.ok) {
    return found.error;
  }
  const journal = startJournal((line) => stderr.write(`${printable(line)}\n`));
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
  }
  const report = { cluster: request.cluster, region, steps: journal.steps, notes, ...failureFields(failure) };
  if (request.output === 'json') {
    await write(stdout, `${JSON.stringify(printableData(report), null, 2)}\n`);
  } else {
    await write(stdout, notes.map((note) => `${printable(note)}\n`).join(''));
    await write(stderr, toldFailure(failure, journal));
  }
  return failure === null ? DONE : FAILED;
}

const failureFields = (failure: unknown) =>
  failure === null ? {} : { error: errorText(failure), remedy: failure instanceof StepError ? failure.remedy : [] };

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
