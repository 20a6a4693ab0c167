import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

it.each([
  { command: 'local', options: '', flags: ['--max-semi-space-size=4'] },
  { command: 'local', options: '--max-semi-space-size=32', flags: [] },
  { command: 'demo', options: '', flags: [] },
])('outrigger $command, with Node options "$options", runs with the flags $flags', ({ command, options, flags }) => {
  const shown = 'data:text/javascript,process.on("exit",()=>console.error(process.execArgv.join(" ")))';
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', shown, main, command, '--help'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: options },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: `${[...flags, '--import', shown].join(' ')}\n` });
  expect(stdout).toContain(`Usage: outrigger ${command}`);
});

/** How `outrigger.js` ends in a folder of its own, with these flags of Node. */
function ended(files: readonly string[], ...flags: readonly string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'outrigger-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  files.forEach((file) => writeFileSync(path.join(folder, file), ''));
  const program = path.join(folder, 'outrigger.js');
  copyFileSync(path.join(root, 'cli/outrigger.js'), program);
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, program, '--version'], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

it('a Node that runs no TypeScript is refused in a clone in one sentence', () => {
  expect(ended(['main.ts'], '--no-experimental-strip-types')).toEqual({
    status: 1,
    stdout: '',
    stderr: `error: Outrigger runs on Node 24 in a clone, which npx outrigger uses; this is Node ${process.versions.node}\n`,
  });
  expect(ended(['main.ts'])).toEqual({ status: 0, stdout: '', stderr: '' });
});

it('a Node before 20 is refused in the package in one sentence', () => {
  const version = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })";
  expect(ended([], '--import', `data:text/javascript,${version}`)).toEqual({
    status: 1,
    stdout: '',
    stderr: 'error: Outrigger needs Node 20 or later; this is Node 18.20.8\n',
  });
});
