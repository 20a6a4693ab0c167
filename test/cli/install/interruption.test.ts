import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { interruptedText } from '../../../cli/install/interruption.ts';
import { stepDone, startJournal } from '../../../cli/install/journal.ts';

const journal = () => startJournal(() => {});

it('what an interrupted command tells names the step that it was in, and those before', async () => {
  const steps = journal();
  await steps.take('checks', 'Checking the cluster', async () => stepDone('checked', null));
  await steps.take('manifests', 'Applying RBAC', async () => stepDone('applied', null));
  await steps.take('stack', 'Deploying the stack Outrigger-prod', async () => {
    expect(interruptedText(steps)).toBe(
      'Interrupted while deploying the stack Outrigger-prod; steps that have ended: checks, manifests; the same command goes on from there.',
    );
    return stepDone('deployed', null);
  });
});

it('a command that is interrupted before or between its steps says so', async () => {
  const steps = journal();
  expect(interruptedText(steps)).toBe('Interrupted; no step has ended before; the same command goes on from there.');
  await steps.take('checks', 'Checking the cluster', async () => stepDone('checked', null));
  expect(interruptedText(steps)).toContain('Interrupted; steps that have ended: checks;');
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the program with %i, after the line', async (signal, code) => {
  const program = `
    const { tellWhenInterrupted } = await import(${JSON.stringify(new URL('../../../cli/install/interruption.ts', import.meta.url).href)});
    tellWhenInterrupted({ steps: [], doing: () => 'Waiting' }, (line) => process.stderr.write(line));
    setInterval(() => {}, 1_000);
    process.stdout.write('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.once('data', () => child.kill(signal));
  const exit = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const [ended, told] = await Promise.all([exit, text(child.stderr)]);
  expect([ended, told]).toEqual([code, expect.stringMatching(/^Interrupted while waiting;/)]);
});
