import { expect, test } from 'vitest';
import { columns } from '../../../cli/terminal/layout.ts';

test('the last column takes the columns that wide characters leave', () => {
  const text = 'a text that wraps beside the name of a node group';
  expect(columns([['日本語日本語', text]], 50)).toEqual([
    '日本語日本語  a text that wraps beside the name',
    '              of a node group',
  ]);
});
