import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyOfClone } from './clone-copy.ts';

const execute = promisify(execFile);

let folder = '';
/** The folder of a release, of each of two clones. */
const releases: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'outrigger-release-e2e-'));
  for (const name of ['one', 'two']) {
    const clone = path.join(folder, name);
    await copyOfClone(clone);
    await execute(process.execPath, ['scripts/release.ts', '--dry-run'], {
      cwd: clone,
      maxBuffer: 2 ** 26,
      // The validation of templates takes most of the time, and `cdk synth` does it.
      env: { ...process.env, CDK_VALIDATION: 'false' },
    });
    const { version } = JSON.parse(await readFile(path.join(clone, 'package.json'), 'utf8')) as {
      readonly version: string;
    };
    releases.push(path.join(clone, 'release', version));
  }
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('a release', () => {
  it('is the same from two clones', async () => {
    const [one, two] = await Promise.all(releases.map((release) => readFile(path.join(release, 'SHA256SUMS'), 'utf8')));
    expect(one).toBe(two);
  });

  it('has a checksum of each file', async () => {
    const { stdout } = await execute('sha256sum', ['--check', 'SHA256SUMS'], { cwd: releases[0]! });
    const checked = stdout.trim().split('\n');
    expect(checked.filter((line) => !line.endsWith(': OK'))).toEqual([]);
    const entries = await readdir(releases[0]!, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => entry.isFile())).toHaveLength(checked.length + 1);
  });

  it('has the code that its template names, each with a handler', async () => {
    const template = await readFile(path.join(releases[0]!, 'template.json'), 'utf8');
    const named = new Set([...template.matchAll(/"([0-9a-f]{64}\.zip)"/g)].map(([, name]) => name!));
    const code = path.join(releases[0]!, 'functions');
    expect(new Set(await readdir(code))).toEqual(named);
    for (const name of named) {
      const list = 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), *z.namelist())';
      const { stdout } = await execute('python3', ['-c', list, path.join(code, name)]);
      expect(stdout.trim()).toBe('None index.mjs');
    }
  });
});
