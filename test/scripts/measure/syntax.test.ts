import { describe, expect, test } from 'vitest';
import { syntaxOf } from '../../../scripts/measure/syntax.ts';

describe('the syntax of a source', () => {
  test.each([
    ['const a = b ? 1 : 2;', { conditionals: 1, nestedConditionals: 0 }],
    ['const a = b ? 1 : c ? 2 : 3;', { conditionals: 2, nestedConditionals: 1 }],
    ['const a = b ? f(c ? 2 : 3) : 4;', { conditionals: 2, nestedConditionals: 1 }],
    ['const a = b ? list.map((one) => (one ? 2 : 3)) : 4;', { conditionals: 2, nestedConditionals: 0 }],
    ['const a = map.get(key)!.name!;', { nonNulls: 2 }],
    ['const a = { ...(b ? { c } : {}), ...(d && { e }), ...f, ...(g ? h : i), ...(j ?? k) };', { optionalSpreads: 2 }],
    ['interface A { b: () => void; c(): void; d: string; e: B | (() => void) }', { functionFields: 2 }],
    [
      'interface Expander { b: () => void } interface A { c: (d: { e: () => void }) => void }',
      { functionFields: 2, exemptFunctionFields: 1 },
    ],
    [
      'type Choose = () => void; const a = (b: () => void, c: Choose = d) => 1; function e(f: string, g: Other) {}',
      { functionParameters: 2 },
    ],
    ['interface A { b: (c: () => void) => void }', { functionParameters: 0 }],
    [
      'export interface A {} export type B = 1; export const c = 1, d = 2; export function e() {} const f = 1;',
      { exported: ['A', 'B', 'c', 'd', 'e'], types: ['A', 'B'] },
    ],
    ['interface A {} export type B = 1; function c() { type D = 2; }', { exported: ['B'], types: ['A', 'B', 'D'] }],
  ])('%s', (source, counts) => {
    expect(syntaxOf(source)).toMatchObject(counts);
  });
});
