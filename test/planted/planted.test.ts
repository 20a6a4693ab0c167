import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inScratchTrees, testThatFails } from '../scratch-trees.ts';
import { smallTree, type SmallTree } from '../small-tree.ts';
import type { Defect } from './defect.ts';
import { DEFECTS } from './defects.ts';
import { pageWith, rowsOf } from './page.ts';
import { changesOf, type Findings, look } from './plant.ts';

const root = join(import.meta.dirname, '../..');

describe('the table of planted defects', () => {
  test.each(DEFECTS)('$id replaces texts that are exactly once in their files', (defect) => {
    expect(changesOf(root, defect).length).toBeGreaterThan(0);
  });

  test('has a row of its own for each defect, also on its page', () => {
    const ids = DEFECTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const page = readFileSync(join(root, 'docs/planted-defects.md'), 'utf8');
    expect(rowsOf(page).map(([id]) => id)).toEqual(ids);
  });
});

describe('a planted defect', () => {
  let tree: SmallTree;
  beforeEach(() => {
    tree = smallTree({
      'core/sum.ts': 'export const sum = (a: number, b: number): number => a + b;\n',
      'test/sum.test.ts':
        "import { expect, test } from 'vitest';\nimport { sum } from '../core/sum.ts';\n\n" +
        "test('adds', () => {\n  expect(sum(2, 2)).toBe(4);\n});\n",
      'test/other.test.ts': "import { test } from 'vitest';\n\ntest('passes', () => {});\n",
      'test/simulate-faults/worker.ts':
        "import { sum } from '../../core/sum.ts';\n" +
        "import { parentPort } from 'node:worker_threads';\n" +
        "parentPort.on('message', ({ seed }) => parentPort.postMessage({ done: { failure: sum(seed, 1) < seed ? 'grows' : null } }));\n",
    });
  });
  afterEach(() => tree.remove());

  const defectOf = (replace: string, find = 'a + b'): Defect => ({
    id: 'S01',
    what: 'wrong',
    places: [{ file: 'core/sum.ts', find, replace }],
    tests: ['test/sum.test.ts'],
    simulation: { provider: 'aws', draw: [] },
  });

  /** Findings of defects that are planted one after the other in the same copy: starting its processes takes long. */
  const findings = async (...defects: readonly Defect[]): Promise<readonly Findings[]> => {
    const found: Findings[] = [];
    await inScratchTrees(
      tree.root,
      defects,
      async (one, scratch) => {
        found.push(await look(scratch, one, new Set(['units', 'simulation']), 9));
      },
      1,
    );
    return found;
  };

  test('is found with the name of the test and the first failing seed, unless it changes nothing that is checked', async () => {
    expect(await findings(defectOf('a * b - (a > 2 ? b + 9 * b : 1)'), defectOf('b + a'))).toEqual([
      { units: 'adds', simulation: { invariant: 'grows', seed: 1 } },
      { units: null, simulation: { invariant: null, seed: 9 } },
    ]);
    expect(readFileSync(join(tree.root, 'core/sum.ts'), 'utf8')).toContain('a + b');
  });

  test('is not found by a test that an earlier defect in the same copy has failed', async () => {
    const found: (string | null)[] = [];
    const change = (to: string) => [{ file: 'core/sum.ts', to }];
    await inScratchTrees(tree.root, ['once'], async (_, scratch) => {
      found.push(await testThatFails(scratch, change('export const sum = (): number => 5;\n'), ['test/sum.test.ts']));
      found.push(await testThatFails(scratch, change('export const sum = (): number => 5;\n'), ['test/other.test.ts']));
    });
    expect(found).toEqual(['adds', null]);
  });

  test('is an error where the test fails without it, too', async () => {
    writeFileSync(join(tree.root, 'core/sum.ts'), 'export const sum = (): number => 5;\n// a + b\n');
    await expect(findings(defectOf('b + a'))).rejects.toThrow('without any change this fails: test/sum.test.ts: adds');
  });

  test('is an error where its text is not there', async () => {
    await expect(findings(defectOf('b + a', 'a+b'))).rejects.toThrow('defect S01: its text is 0 times in core/sum.ts');
  });
});

describe('the page of planted defects', () => {
  const page = 'Before.\n<!-- Written by `npm run planted -- --write`. -->\n';
  const defects = DEFECTS.slice(0, 2);

  test('keeps what was found earlier by a check that was not asked again', () => {
    const first = pageWith(
      page,
      defects,
      new Map([[defects[0]!.id, { units: 'a | b', simulation: { invariant: 'i', seed: 3 } }]]),
    );
    const second = pageWith(first, defects, new Map([[defects[0]!.id, { simulation: { invariant: null, seed: 40 } }]]));
    expect(rowsOf(second).map((cells) => cells.slice(2))).toEqual([
      ['a \\| b', '**not found** by 40 seeds'],
      ['', '–'],
    ]);
    expect(second.startsWith('Before.\n')).toBe(true);
  });
});
