import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSelector } from '../../../../core/scheduling/label-selector.ts';
import { SelectorIndex } from '../../../../core/scheduling/counts/selector-index.ts';
import { selector } from '../../../builders.ts';

const key = fc.constantFrom('app', 'zone', 'tier', 'team');
const value = fc.constantFrom('a', 'b', 'c', '');
const requirement = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist'), values: fc.constant([]) }),
  fc.record({
    key,
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.oneof(
      fc.array(value, { minLength: 1, maxLength: 3 }),
      fc.constant(Array.from({ length: 40 }, (_, i) => `v${i}`).concat('a')),
    ),
  }),
);
const selectors = fc.array(
  fc.option(fc.record({ matchLabels: fc.dictionary(key, value), matchExpressions: fc.array(requirement) })),
  { maxLength: 20 },
);

const indexOf = (of: readonly Parameters<typeof compileSelector>[0][]) => {
  const index = new SelectorIndex<{ readonly i: number; readonly matches: ReturnType<typeof compiled>['matches'] }>();
  for (const [i, one] of of.entries()) {
    const { matches, required } = compiled(one);
    index.add(required, { i, matches });
  }
  return index;
};

function compiled(one: Parameters<typeof compileSelector>[0]) {
  const result = compileSelector(one);
  if (!result.ok) {
    throw new Error(result.error);
  }
  return result.value;
}

describe('an index of selectors', () => {
  it('gives each selector that matches, once, and those alone that were added since', () => {
    fc.assert(
      fc.property(selectors, fc.dictionary(key, value), fc.nat(20), (of, labels, from) => {
        const given: number[] = [];
        indexOf(of).eachFor(labels, from, ({ i, matches }) => {
          if (matches(labels)) {
            given.push(i);
          }
        });
        const expected = of.flatMap((one, i) => (i >= from && compiled(one).matches(labels) ? i : []));
        expect(given.sort((a, b) => a - b)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['Exists', []],
    ['In', ['x']],
  ])('gives no selector that requires a label by %s which a pod lacks', (operator, values) => {
    const index = indexOf(Array.from({ length: 1_000 }, (_, i) => selector({}, { key: `k${i}`, operator, values })));
    let looked = 0;
    index.eachFor({ app: 'web', k7: 'x' }, 0, () => (looked += 1));
    expect(looked).toBe(1);
  });
});
