import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const main = new URL('../../cli/main.ts', import.meta.url).pathname;

it.each([
  { args: ['simulat'], code: 2, complaint: 'Did you mean simulate?' },
  { args: ['install', '--clustr', 'a'], code: 2, complaint: "unknown option '--clustr'" },
])('outrigger $args ends its process with $code, and says what is wrong', ({ args, code, complaint }) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: code, stdout: '' });
  expect(stderr).toContain(complaint);
});
