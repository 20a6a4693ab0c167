import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const main = new URL('../../cli/main.ts', import.meta.url).pathname;

it.each([
  { args: ['simulate'], code: 2, complaint: "missing required argument 'files'" },
  { args: ['simulate', '-o', 'xml', 'a.yaml'], code: 2, complaint: 'Allowed choices are' },
  { args: ['demo', '--speed', '0'], code: 2, complaint: 'Expected a number above 0' },
  { args: ['migrate'], code: 2, complaint: "missing required argument 'files'" },
  { args: ['schema', 'nothing'], code: 1, complaint: 'Allowed choices are' },
  { args: ['local', '--cluster', 'a', '--region', 'eu-west-1', '--foo'], code: 1, complaint: "unknown option '--foo'" },
  { args: ['local', '--clustr', 'a'], code: 1, complaint: "unknown option '--clustr'\n(Did you mean --cluster?)" },
  { args: ['snapshot', '--clustr=a'], code: 1, complaint: "unknown option '--clustr=a'\n(Did you mean --cluster?)" },
  { args: ['doctor', '--clustr', 'a'], code: 2, complaint: "unknown option '--clustr'\n(Did you mean --cluster?)" },
  { args: ['install', '--clustr', 'a'], code: 2, complaint: "unknown option '--clustr'\n(Did you mean --cluster?)" },
  { args: ['uninstall', '--clustr', 'a'], code: 2, complaint: "unknown option '--clustr'\n(Did you mean --cluster?)" },
  { args: ['uninstall'], code: 2, complaint: "required option '--cluster <name>' not specified" },
  { args: ['snapshot'], code: 1, complaint: "required option '--cluster <name>' not specified" },
  { args: ['simulat'], code: 1, complaint: 'Did you mean simulate?' },
])('outrigger $args says what is wrong and where the options are, and ends with $code', ({ args, code, complaint }) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: code, stdout: '' });
  expect(stderr).toContain(complaint);
  expect(stderr).toMatch(/\(add --help for the options\)\n$/);
});

it('help of a subcommand is no mistake', () => {
  expect(spawnSync(process.execPath, [main, 'simulate', '--help']).status).toBe(0);
});
