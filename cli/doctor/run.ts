import { styleOf } from '../terminal/style.ts';
import { EXIT } from '../exit-codes.ts';
import { type TerminalStreams, write, writeLines } from '../terminal/streams.ts';
import { printableData } from '@outrigger/core/model/values/printable.ts';
import { jsonText } from '../terminal/json-text.ts';
import type { Status } from './checks/check.ts';
import { type CheckResult, judge } from './checks/checks.ts';
import { factOr } from './facts/fact.ts';
import type { Facts } from './facts/facts.ts';
import { gatherFacts, type Sources } from './facts/gather.ts';
import { type CheckedCluster, settingsFor } from './settings.ts';
import { withProgress } from '../terminal/progress.ts';
import { tellFindings } from './text.ts';

export interface DoctorRequest extends CheckedCluster {
  readonly output: 'text' | 'json';
}

/**
 * Checks an account and a cluster, and prints what it finds. Changes nothing.
 *
 * @returns the exit code: 0, 1 when a check failed, or 2 when the configuration is wrong.
 */
export async function doctor(
  request: DoctorRequest,
  sources: Sources,
  { stdout, stderr }: Pick<TerminalStreams, 'stdout' | 'stderr'>,
): Promise<number> {
  const examination = await examine(request, sources, stderr);
  if (examination === null) {
    return EXIT.invalid;
  }
  await write(stdout, printedFindings(examination, request.output, stdout));
  return exitCodeOf(examination);
}

/** The facts about an account and a cluster, and the outcome of each check. */
export interface Examination {
  readonly facts: Facts;
  readonly checked: readonly CheckResult[];
}

/**
 * Checks an account and a cluster.
 *
 * @returns `null` if the configuration is wrong, which standard error then says
 */
export async function examine(
  request: CheckedCluster,
  sources: Sources,
  stderr: TerminalStreams['stderr'],
): Promise<Examination | null> {
  const read = settingsFor(request);
  if (!read.ok) {
    await writeLines(stderr, read.error);
    return null;
  }
  const { settings, warnings } = read.value;
  await writeLines(
    stderr,
    warnings.map((warning) => `Warning: ${warning}`),
  );
  const facts = await withProgress(stderr, `Checking cluster ${settings.cluster} and its account …`, () =>
    gatherFacts(settings, sources),
  );
  return { facts, checked: judge(facts) };
}

export function printedFindings(
  { facts, checked }: Examination,
  output: DoctorRequest['output'],
  stdout: TerminalStreams['stdout'],
): string {
  if (output === 'json') {
    return findingsAsJson(facts, checked);
  }
  return tellFindings(facts, checked, styleOf(stdout));
}

export const exitCodeOf = ({ checked }: Examination): number =>
  checked.some(({ finding }) => finding.status === 'fail') ? EXIT.failed : EXIT.done;

/** The findings for programs. */
function findingsAsJson({ settings, region }: Facts, checked: readonly CheckResult[]): string {
  const number = (status: Status): number => checked.filter(({ finding }) => finding.status === status).length;
  const document = {
    cluster: settings.cluster,
    region: factOr(region, null),
    mode: settings.mode,
    summary: { ok: number('ok'), warn: number('warn'), fail: number('fail'), unknown: number('unknown') },
    checks: checked.map(({ check: { id, title, why }, finding: { status, found, remedy } }) => ({
      id,
      title,
      status,
      found,
      why,
      remedy,
    })),
  };
  return jsonText(printableData(document));
}
