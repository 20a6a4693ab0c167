import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  differingKeys,
  type ListEntry,
  pageOfEntries,
  versionOf,
  type ListView,
  viewOf,
  withChanges,
} from '../../../../../providers/kubernetes/read/view/entries.ts';
import { node } from '../../../../builders.ts';

const entry = (key: string, cpu = 1): ListEntry => ({ key, item: node(key, { cpu }), rejected: [] });
const view = (version: number, ...entries: readonly ListEntry[]): ListView =>
  viewOf(entries, pageOfEntries(entries), version)!;

describe('a resource version', () => {
  it.each([
    ['1', 1],
    ['123456789012345', 123_456_789_012_345],
    ['', null],
    ['0', null],
    ['-1', null],
    ['01', null],
    ['1e3', null],
    ['1234567890123456', null],
    [undefined, null],
  ])('%j is %j', (text, version) => {
    expect(versionOf(text)).toBe(version);
  });
});

describe('a view', () => {
  it.each([
    ['has no key', [entry('a'), entry('')]],
    ['comes twice', [entry('a'), entry('a')]],
    ['is not in order', [entry('b'), entry('a')]],
  ])('is not made of a list of which an object %s', (_of, entries) => {
    expect(viewOf(entries, pageOfEntries(entries), 1)).toBeNull();
  });

  it('keeps its page where nothing has changed', () => {
    const before = view(1, entry('a'));
    const after = withChanges(before, new Map(), 5);
    expect(after).toEqual({ ...before, resourceVersion: 5 });
    expect(after.page).toBe(before.page);
  });

  it('is not changed by what comes after it', () => {
    const before = view(1, entry('a'), entry('b'));
    const copy = structuredClone(before);
    withChanges(
      before,
      new Map([
        ['a', null],
        ['c', entry('c')],
      ]),
      2,
    );
    expect(before).toEqual(copy);
  });

  it('has after any changes what a list of the result has', () => {
    const key = fc.constantFrom('', 'a', 'a-b/x', 'a/x', 'a/y', 'b/x', 'b/x.y', 'c').filter((one) => one !== '');
    fc.assert(
      fc.property(
        fc.dictionary(key, fc.integer({ min: 1, max: 3 })),
        fc.dictionary(key, fc.option(fc.integer({ min: 1, max: 3 }))),
        (before, changes) => {
          const listed = (all: Readonly<Record<string, number>>): readonly ListEntry[] =>
            Object.keys(all)
              .toSorted()
              .map((each) => entry(each, all[each]));
          const changed = new Map(
            Object.entries(changes).map(([each, cpu]) => [each, cpu === null ? null : entry(each, cpu)]),
          );
          const after = Object.fromEntries(
            Object.entries({ ...before, ...changes }).filter((pair): pair is [string, number] => pair[1] !== null),
          );
          expect(withChanges(view(1, ...listed(before)), changed, 2)).toEqual(view(2, ...listed(after)));
        },
      ),
    );
  });

  it('differs by the objects that are other, missing or too many', () => {
    const one = view(1, entry('a'), entry('b'), entry('c'));
    expect(differingKeys(one, view(1, entry('a'), entry('b'), entry('c')))).toEqual([]);
    expect(differingKeys(one, view(1, entry('a', 2), entry('c'), entry('d')))).toEqual(['a', 'b', 'd']);
  });
});
