import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { type Run, runStep } from './ci/process.ts';
import { runSteps } from './ci/run-steps.ts';
import { seedOf } from './ci/seed.ts';
import { everyNight, ofEveryChange, type Step } from './ci/steps.ts';

// Runs every check of a change, or with `nightly` all that a change is checked for in part. The content of the tree draws the part;
// `OUTRIGGER_SAMPLE=<seed>` draws another one, or that of an earlier run. The last line sums up: each test counts for one, and so does each step that is no test run. Ends
// with 1 when anything failed.
const [, , mode] = process.argv;
if (mode !== undefined && mode !== 'nightly') throw new Error(`${mode}: expected nothing, or nightly`);
const seed = Number(process.env['OUTRIGGER_SAMPLE'] ?? seedOf(mode === 'nightly' ? null : import.meta.dirname));
const steps = mode === 'nightly' ? everyNight(seed) : ofEveryChange(seed);

const folder = mkdtempSync(path.join(tmpdir(), 'outrigger-ci-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const began = performance.now();
const summary: string[] = [];
const failures: string[] = [];
const counts = { passed: 0, failed: 0 };

print(`OUTRIGGER_SAMPLE=${seed}`);
await runSteps(
  steps,
  availableParallelism(),
  async (step) => {
    print(`--- ${sinceBegin()} ${step.name} begins: ${commandLine(step)}`);
    const run = await runStep(step, folder);
    show(step, run);
    return run.outcome;
  },
  (step, outcome) => {
    if (outcome === null) note('-', step, `not run: needs ${step.needs?.join(', ')}`);
  },
);
print(...failures, '\n=== summary', ...summary, `in ${sinceBegin()}; the same again: OUTRIGGER_SAMPLE=${seed}`);
print(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;

/** Prints a step's whole output at its end: those of steps that run at a time are not mixed. */
function show(step: Step, { outcome, output, failure, seconds, cpuSeconds }: Run): void {
  const { passed, failed, reason } = outcome;
  counts.passed += passed;
  counts.failed += failed;
  if (failed > 0) failures.push(`\n=== FAILED ${step.name}`, failure);
  print(`\n=== ${step.name}: ${commandLine(step)}`, output.trimEnd());
  const times = `${seconds.toFixed(0).padStart(4)} s, ${cpuSeconds.toFixed(0).padStart(4)} s of CPU`;
  const tests = step.counts === 'tests' ? `, ${passed} passed, ${failed} failed` : '';
  note(failed === 0 ? 'ok' : 'FAILED', step, `${times}${tests}${reason === undefined ? '' : `, ${reason}`}`);
}

function note(word: string, { name }: Step, details: string): void {
  const line = `${word.padEnd(6)} ${name.padEnd(20)} ${details}`;
  summary.push(line);
  print(line);
}

/** The command as a shell takes it, to run the step alone. */
function commandLine({ environment = {}, command }: Step): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [...variables, ...command.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word}'`))].join(' ');
}

function sinceBegin(): string {
  return `${((performance.now() - began) / 1_000).toFixed(0)} s`;
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
