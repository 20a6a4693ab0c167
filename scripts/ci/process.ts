import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from './run-steps.ts';
import type { Step } from './steps.ts';

/** What running a step took and printed. */
export interface Run {
  readonly outcome: Outcome;
  readonly output: string;
  readonly seconds: number;
  /** Of the command and all that it started and waited for. */
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
  return {
    outcome: step.counts === 'tests' ? outcomeOfTests(`${file}.json`, status) : outcomeOf(status),
    output: readFileSync(`${file}.log`, 'utf8'),
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

/** Numbers of tests in vitest's report; none where there is no report. */
function testsIn(file: string): { readonly passed: number; readonly failed: number } {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, number>>;
    return { passed: report['numPassedTests'] ?? 0, failed: report['numFailedTests'] ?? 0 };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

/** What `times` of bash says of the children of the shell, its second line: `1m2.34s 0m5.6s`. */
export const cpuSecondsOf = (times: string): number =>
  [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  );
