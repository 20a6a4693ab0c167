import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { longSubjects } from '../../../scripts/ci/long-subjects.ts';

test('commits after the base with a subject of more than 72 characters are found, whatever their body', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'subjects-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: readonly string[]) => {
    const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    expect(status).toBe(0);
    return stdout.trim();
  };
  const commit = (message: string) =>
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '--quiet', '-m', message);
  git('init', '--quiet');
  commit('a'.repeat(100));
  const base = git('rev-parse', 'HEAD');
  commit(`${'b'.repeat(72)}\n\n${'c'.repeat(100)}`);
  expect(longSubjects(folder, base)).toEqual([]);

  commit('d'.repeat(73));
  expect(longSubjects(folder, base)).toEqual([expect.stringMatching(/^[0-9a-f]+ d{73}$/)]);
  expect(() => longSubjects(folder, 'unknown')).toThrow('unknown');
});
