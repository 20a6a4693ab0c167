import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from './run-steps.ts';
import type { Step } from './steps.ts';

/** Duration, CPU time and output of a step. */
export interface Run {
  readonly outcome: Outcome;
  readonly output: string;
  /** Why it failed, to be read without its whole output: each failed test, or the last lines. */
  readonly failure: string;
  readonly seconds: number;
  /** CPU time of the command and of all child processes that it has waited for. */
  readonly cpuSeconds: number;
}

/** Runs the command, and gives its own exit code; bash knows what CPU time it took. */
const MEASURED = '"$@"; code=$?; times >&3; exit $code';

/** Runs a step, with its output kept in a file of `folder`. */
export async function runStep(step: Step, folder: string): Promise<Run> {
  const file = path.join(folder, step.name.replaceAll(/\W+/g, '-'));
  const command = [...step.command, ...(step.counts === 'tests' ? reporting(step, `${file}.json`) : [])];
  const start = performance.now();
  const output = openSync(`${file}.log`, 'w');
  const child = spawn('bash', ['-c', MEASURED, step.name, ...command], {
    env: { ...process.env, ...step.environment },
    stdio: ['ignore', output, output, 'pipe'],
  });
  closeSync(output);
  let times = '';
  child.stdio[3]!.on('data', (chunk: Buffer) => (times += chunk.toString()));
  const status = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(String(code ?? signal)));
  });
  const outcome = step.counts === 'tests' ? outcomeOfTests(`${file}.json`, status) : outcomeOf(status);
  const printed = readFileSync(`${file}.log`, 'utf8');
  const failedTests = step.counts === 'tests' && outcome.failed > 0 ? failuresIn(`${file}.json`) : [];
  return {
    outcome,
    output: printed,
    failure: failedTests.length > 0 ? failedTests.join('\n') : lastLines(printed),
    seconds: (performance.now() - start) / 1_000,
    cpuSeconds: cpuSecondsOf(times),
  };
}

const reporting = ({ command }: Step, file: string): readonly string[] => [
  ...(command.includes('--') ? [] : ['--']),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${file}`,
];

const outcomeOf = (status: string): Outcome =>
  status === '0' ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, reason: `ended with ${status}` };

/**
 * A run that failed without a failed test counts as one failure: servers that did not start, a file that cannot be loaded, an
 * unhandled rejection. So does a run of no test, which has shown nothing.
 */
export function outcomeOfTests(file: string, status: string): Outcome {
  const { passed, failed } = testsIn(file);
  if (failed > 0) return { passed, failed };
  if (status !== '0') return { passed, failed: 1, reason: `ended with ${status}: its last error says why` };
  return passed === 0 ? { passed, failed: 1, reason: 'ran no test' } : { passed, failed };
}

/** vitest's JSON report, in part. */
interface TestReport {
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly testResults?: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** Numbers of tests in vitest's report; none where there is no report. */
function testsIn(file: string): { readonly passed: number; readonly failed: number } {
  const { numPassedTests = 0, numFailedTests = 0 } = reportIn(file);
  return { passed: numPassedTests, failed: numFailedTests };
}

/** Each failed test, or file that could not be loaded, with the beginning of its message. */
export const failuresIn = (file: string): readonly string[] =>
  (reportIn(file).testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const where = path.relative(process.cwd(), name);
    if (failed.length === 0 && status === 'failed') return [`${where}: ${beginning(message ?? '')}`];
    return failed.map(
      ({ fullName, failureMessages = [] }) => `${where}: ${fullName}\n${beginning(failureMessages[0] ?? '')}`,
    );
  });

function reportIn(file: string): TestReport {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestReport;
  } catch {
    return {};
  }
}

const LINES_OF_MESSAGE = 25;
const LINES_OF_OUTPUT = 40;
const beginning = (text: string): string => text.split('\n').slice(0, LINES_OF_MESSAGE).join('\n');
const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-LINES_OF_OUTPUT).join('\n');

/** Parses the second line that bash's `times` prints, about the children of the shell: `1m2.34s 0m5.6s`. */
export const cpuSecondsOf = (times: string): number =>
  [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  );
