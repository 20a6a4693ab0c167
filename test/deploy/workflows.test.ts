import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

describe.each(globSync('.github/workflows/*.yml', { cwd: root }))('%s', (file) => {
  const text = read(file);
  const { permissions, jobs } = parse(text) as {
    readonly permissions: unknown;
    readonly jobs: Readonly<Record<string, Job>>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('pins each action by its commit, with its version as a comment', () => {
    expect(steps.some(({ uses }) => uses !== undefined)).toBe(true);
    for (const line of text.split('\n').filter((one) => one.includes('uses:'))) {
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('runs scripts that exist', () => {
    const commands = steps.flatMap(({ run = '' }) => run.split('\n'));
    const named = commands.flatMap((command) => /^npm run ([\w:]+)/.exec(command)?.[1] ?? []);
    const paths = commands.filter((command) => command.startsWith('.'));
    expect(named.length + paths.length).toBeGreaterThan(0);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
    expect(paths.filter((one) => !existsSync(path.join(root, one)))).toEqual([]);
  });

  it('reads the repository, and ends', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0);
    }
  });
});
