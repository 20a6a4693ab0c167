import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { seedOf } from '../../../scripts/ci/seed.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'seed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the sample of a run is drawn by the content that is committed, not by who or when', () => {
  const folder = emptyFolder();
  const git = (...args: readonly string[]) =>
    expect(spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder }).status).toBe(0);
  const commit = (content: string) => {
    writeFileSync(path.join(folder, 'file'), content);
    git('add', 'file');
    git('commit', '-m', `Write ${content}`);
    return seedOf(folder);
  };
  git('init', '--quiet');

  const [one, two, again] = [commit('1'), commit('2'), commit('1')];
  expect(again).toBe(one);
  expect(two).not.toBe(one);
});

test('the sample of a night, and of a copy that git does not know, is drawn at random', () => {
  expect(seedOf(null)).not.toBe(seedOf(null));
  const folder = emptyFolder();
  expect(seedOf(folder)).not.toBe(seedOf(folder));
});
