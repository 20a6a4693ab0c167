import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

const exists = (path: string): boolean => existsSync(join(root, path));

/**
 * The source file that a test file is of: `core/a/b.ts` is tested in `test/core/a/b.test.ts`. If there are several test
 * files for it, they are in the folder `test/core/a/b`. `null` if there is no such source file.
 */
function sourceOf(testFile: string, isThere: (path: string) => boolean): string | null {
  const path = testFile.slice('test/'.length, -'.test.ts'.length);
  const folder = dirname(path);
  const sources = [`${path}.ts`, ...(isThere(folder) ? [] : [`${folder}.ts`])];
  return sources.find(isThere) ?? null;
}

describe('the tests of the product code', () => {
  test.each(['core', 'config', 'providers', 'functions', 'runtime', 'simulation', 'cli'])(
    'have the paths and names of the source files that they test: %s',
    (folder) => {
      const files = globSync(`test/${folder}/**/*.test.ts`, { cwd: root });
      expect(files.length).toBeGreaterThan(0);
      expect(files.filter((file) => sourceOf(file, exists) === null)).toEqual([]);
    },
  );
});

describe('the check', () => {
  const there = new Set(['core/a', 'core/a/b.ts', 'core/a/plugins', 'core/a/plugins.ts', 'core/a/plugins/c.ts']);

  test.each([
    ['test/core/a/b.test.ts', 'core/a/b.ts'],
    ['test/core/a/b/laws.test.ts', 'core/a/b.ts'],
    ['test/core/a/plugins/c.test.ts', 'core/a/plugins/c.ts'],
    ['test/core/a/laws.test.ts', null],
    ['test/core/a/plugins/laws.test.ts', null],
    ['test/core/a/b/c/laws.test.ts', null],
  ])('%s is of %s', (file, source) => {
    expect(sourceOf(file, (path) => there.has(path))).toBe(source);
  });
});
