import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const { bin: bins } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>;
};
const main = path.join(root, 'cli/main.ts');

it.each([
  { args: ['simulat'], code: 2, complaint: 'Did you mean simulate?' },
  { args: ['install', '--clustr', 'a'], code: 2, complaint: "unknown option '--clustr'" },
])('outrigger $args ends its process with $code, and says what is wrong', ({ args, code, complaint }) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: code, stdout: '' });
  expect(stderr).toContain(complaint);
});

it.each([
  { bin: 'outrigger', called: 'outrigger' },
  { bin: 'kubectl-outrigger', called: 'kubectl outrigger' },
])('$bin, installed by npm, calls itself $called', ({ bin, called }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'outrigger-bin-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // npm and kubectl alike start what the link points to.
  const link = path.join(folder, bin);
  symlinkSync(path.join(root, bins[bin]!), link);
  const usage = (...args: readonly string[]): string =>
    spawnSync(link, [...args, '--help'], { encoding: 'utf8' }).stdout.split('\n')[0]!;
  expect([usage(), usage('explain', 'pod', 'x')]).toEqual([
    `Usage: ${called} [options] [command]`,
    `Usage: ${called} explain [options] <subject> <name>`,
  ]);
});
