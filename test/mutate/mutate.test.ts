import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { smallTree, type SmallTree } from '../small-tree.ts';
import { mutate } from './command.ts';
import { mutationsOf } from './operators.ts';

const mutants = (source: string, withProperties = false): readonly string[] =>
  mutationsOf(source, withProperties).map(({ start, end, to }) => source.slice(0, start) + to + source.slice(end));

describe('the mutants of', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['a comparison', 'x = a <= b', ['', 'x = a < b']],
    ['a sum', 'x = a + (b - c)', ['', 'x = a - (b - c)', 'x = a + (b + c)']],
    ['an operand', 'x = a && b', ['', 'x = (a)', 'x = (b)']],
    ['a conditional', 'x = a ? b : c', ['', 'x = (b)', 'x = (c)']],
    ['an if', 'if (a) x()', ['if (true) x()', 'if (false) x()', 'if (a) ']],
    ['a number', 'x = 7', ['', 'x = 8', 'x = (6)']],
    ['a method', 'x = Math.min(a, b)', ['', 'x = Math.max(a, b)']],
    ['an awaited call', 'x = await f(a, b)', ['', 'x = f(a, b)', 'x = await f(b, a)']],
    ['an array', 'x = [a, b]', ['', 'x = [b]', 'x = [a]']],
    ['a type', 'const x: 1 | 2 = y as 1', []],
    ['an import', "import { a } from './a.ts'", []],
  ])('%s', (_, source, expected) => {
    expect(mutants(source)).toEqual(expected);
  });

  test('an object leave out a property on request alone', () => {
    expect(mutants('const x = { a, b: c }', true)).toEqual(['const x = { b: c }', 'const x = { a }']);
    expect(mutants('const x = { a, b: c }')).toEqual([]);
  });
});

describe('npm run mutate', () => {
  let tree: SmallTree;
  beforeEach(() => {
    tree = smallTree({
      'core/limits/limits.ts':
        "export const isFull = (used: number, most: number): boolean => used >= most;\nexport const name: 'a' = 'a';\n",
      'test/core/limits/limits.test.ts':
        "import { expect, test } from 'vitest';\nimport { isFull } from '../../../core/limits/limits.ts';\n\n" +
        "test('is not full below its limit', () => {\n  expect(isFull(1, 2)).toBe(false);\n});\n",
    });
  });
  afterEach(() => tree.remove());

  test('prints the mutant that no test sees, with its line', async () => {
    const written: string[] = [];
    const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const { exitCode } = process;
    try {
      const room = { folder: 'core/limits', own: ['test/core/limits'], wider: [] };
      await mutate(tree.root, [room]).parseAsync(['--mutants', '5', '--at-least', '50', '--trees', '1'], {
        from: 'user',
      });
      expect(process.exitCode).toBe(1);
    } finally {
      process.exitCode = exitCode;
      spy.mockRestore();
    }
    expect(written.join('')).toContain(
      'core/limits/limits.ts:1\n' +
        '  - export const isFull = (used: number, most: number): boolean => used >= most;\n' +
        '  + export const isFull = (used: number, most: number): boolean => used > most;\n',
    );
  });
});
