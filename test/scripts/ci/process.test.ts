import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cpuSecondsOf, failuresIn, outcomeOfTests, runStep } from '../../../scripts/ci/process.ts';
import type { Step } from '../../../scripts/ci/steps.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'ci-'));
afterAll(() => rmSync(folder, { recursive: true }));

const runs = (...command: Step['command']) => runStep({ name: 'a step', command, counts: 'once', cores: 1 }, folder);

describe('a command', () => {
  test('that ends with 0 passes, with its whole output', async () => {
    const { outcome, output } = await runs('bash', '-c', 'echo out; echo err >&2');
    expect(outcome).toEqual({ passed: 1, failed: 0 });
    expect(output).toBe('out\nerr\n');
  });

  test('that ends otherwise fails with its code', async () => {
    const { outcome, failure } = await runs('bash', '-c', 'seq 100; exit 3');
    expect(outcome).toEqual({ passed: 0, failed: 1, reason: 'ended with 3' });
    expect(failure.split('\n')).toEqual(Array.from({ length: 40 }, (_, line) => String(61 + line)));
  });

  test('that is not installed fails, and is named', async () => {
    const { outcome, output } = await runs('no-such-tool');
    expect(outcome).toEqual({ passed: 0, failed: 1, reason: 'ended with 127' });
    expect(output).toContain('no-such-tool');
  });

  test('has the environment of its step', async () => {
    const command = ['bash', '-c', 'echo "$OUTRIGGER_SAMPLE"'] as const;
    const environment = { OUTRIGGER_SAMPLE: '42' };
    const { output } = await runStep({ name: 'sample', command, environment, counts: 'once', cores: 1 }, folder);
    expect(output).toBe('42\n');
  });

  test('is given the CPU time of all that it has waited for', () => {
    expect(cpuSecondsOf('0m0.002s 0m0.001s\n1m2.500s 0m3.250s\n')).toBe(65.75);
  });
});

describe('a run of tests', () => {
  const report = path.join(folder, 'report.json');
  const outcome = (passed: number, failed: number, status: string) => {
    writeFileSync(report, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
    return outcomeOfTests(report, status);
  };

  test('counts each test', () => {
    expect(outcome(7, 0, '0')).toEqual({ passed: 7, failed: 0 });
    expect(outcome(7, 2, '1')).toEqual({ passed: 7, failed: 2 });
  });

  test('names its failed tests, and the files that cannot be loaded', () => {
    const assertionResults = [
      { fullName: 'adds', status: 'passed' },
      { fullName: 'adds carefully', status: 'failed', failureMessages: ['expected 2 to be 3\n    at x'] },
    ];
    const testResults = [
      { name: path.resolve('test/a.test.ts'), status: 'failed', assertionResults },
      { name: path.resolve('test/b.test.ts'), status: 'failed', message: 'no such module', assertionResults: [] },
    ];
    writeFileSync(report, JSON.stringify({ testResults }));
    expect(failuresIn(report)).toEqual([
      'test/a.test.ts: adds carefully\nexpected 2 to be 3\n    at x',
      'test/b.test.ts: no such module',
    ]);
  });

  test('that fails without a failed test has one failure', () => {
    expect(outcome(7, 0, '1')).toMatchObject({ passed: 7, failed: 1, reason: expect.stringContaining('ended with 1') });
  });

  test('without a report, or without a test, has one failure', () => {
    expect(outcomeOfTests(path.join(folder, 'none.json'), '0')).toMatchObject({ passed: 0, failed: 1 });
    expect(outcome(0, 0, '0')).toEqual({ passed: 0, failed: 1, reason: 'ran no test' });
  });
});
