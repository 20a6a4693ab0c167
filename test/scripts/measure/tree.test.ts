import { describe, expect, onTestFinished, test } from 'vitest';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { figuresOf } from '../../../scripts/measure/tree.ts';

describe('the figures of a tree', () => {
  test('count code in each folder, and names and fields over all of them', () => {
    const root = mkdtempSync(join(tmpdir(), 'measured-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const write = (file: string, source: string): void => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), source);
    };
    write('core/evaluate.ts', 'export const step = 1;\n');
    write('core/model/pod.ts', '/** A pod. */\nexport interface Wanted {\n\n  one: () => void;\n}\n');
    write('core/model/node.ts', 'interface Found {}\ninterface Finding {}\n');
    write('core/ports/store.ts', 'export interface Store { load: () => void }\n');
    write('cli/main.ts', '// One that has those of the others is what it is for them.\nexport const step = 2;\n');
    write('test/a.test.ts', 'const a = 1;\nconst b = 2;\n');
    expect(figuresOf(root)).toMatchObject({
      'lines of code of the product': 8,
      'lines of core': 7,
      'lines of core/model': 5,
      'lines of core/ports': 1,
      'lines of cli': 1,
      'lines of code of the tests': 2,
      'folders of core': 2,
      'exported names': 4,
      'exported names with two definitions or more': 1,
      'types whose name is a participle alone': 2,
      'fields of core that are functions, without ports': 1,
      'fields of core that are functions of variants, trackers and the scheduler': 0,
      'parameters in core that are functions, without ports': 0,
      '% of sentences in comments that name little': 100,
    });
  });
});
