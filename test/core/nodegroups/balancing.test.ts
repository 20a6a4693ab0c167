import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type GroupName, groupName } from '../../../core/model/values/names.ts';
import { createBalancer, type SizedGroup } from '../../../core/nodegroups/balancing.ts';

/** The group of each of `count` new nodes; fewer when all groups are full. */
function balance(groups: readonly SizedGroup[], count: number, preferred: GroupName | null = null): readonly string[] {
  const balancer = createBalancer(groups, preferred);
  const order: string[] = [];
  for (let group = balancer.smallest(); group !== null && order.length < count; group = balancer.smallest()) {
    balancer.take(group);
    order.push(group);
  }
  return order;
}

const sized = (sizes: Readonly<Record<string, number>>, max = 100): readonly SizedGroup[] =>
  Object.entries(sizes).map(([name, size]) => ({ name: groupName(name), size, max }));

const added = (order: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...new Set(order)].sort().map((name) => [name, order.filter((other) => other === name).length]));

describe('the balancer', () => {
  test.each([
    { sizes: { a: 1, b: 3, c: 6 }, count: 1, expected: { a: 1 } },
    { sizes: { a: 1, b: 3, c: 6 }, count: 4, expected: { a: 3, b: 1 } },
    { sizes: { a: 1, b: 3, c: 6 }, count: 8, expected: { a: 5, b: 3 } },
    { sizes: { a: 1, b: 3, c: 6 }, count: 11, expected: { a: 6, b: 4, c: 1 } },
    { sizes: { a: 5, b: 5, c: 5 }, count: 4, expected: { a: 2, b: 1, c: 1 } },
    { sizes: { a: 0 }, count: 3, expected: { a: 3 } },
    { sizes: { a: 2, b: 0 }, count: 0, expected: {} },
  ])('splits $count over $sizes as $expected', ({ sizes, count, expected }) => {
    expect(added(balance(sized(sizes), count))).toEqual(expected);
  });

  test('leaves full groups alone and gives their share to the others', () => {
    const groups = [
      { name: groupName('a'), size: 1, max: 2 },
      { name: groupName('b'), size: 3, max: 3 },
      { name: groupName('c'), size: 6, max: 9 },
    ];
    expect(added(balance(groups, 10))).toEqual({ a: 1, c: 3 });
  });

  test.each([
    { sizes: { a: 0, b: 0 }, preferred: 'b', count: 1, expected: { b: 1 } },
    { sizes: { a: 0, b: 0, c: 0 }, preferred: 'b', count: 2, expected: { a: 1, b: 1 } },
    { sizes: { a: 0, b: 1 }, preferred: 'b', count: 1, expected: { a: 1 } },
    { sizes: { a: 1, b: 0 }, preferred: 'a', count: 2, expected: { b: 2 } },
    { sizes: { a: 1, b: 1, c: 0 }, preferred: 'b', count: 3, expected: { b: 1, c: 2 } },
  ])('gives the odd node of $count over $sizes to what started smaller, then to $preferred', (row) => {
    expect(added(balance(sized(row.sizes), row.count, groupName(row.preferred)))).toEqual(row.expected);
  });

  test('does not depend on the order of the groups', () => {
    const groups = sized({ a: 2, b: 2, c: 1, d: 7 });
    expect(balance([...groups].reverse(), 9)).toEqual(balance(groups, 9));
  });

  const groupsArb = fc
    .array(fc.record({ size: fc.nat(20), extra: fc.nat(15) }), { minLength: 1, maxLength: 6 })
    .map((list) => list.map(({ size, extra }, i) => ({ name: groupName(`g${i}`), size, max: size + extra })));

  test('never passes a maximum, adds all that there is room for, and keeps those that grow within one of each other', () => {
    fc.assert(
      fc.property(groupsArb, fc.nat(60), (groups, count) => {
        const order = balance(groups, count);
        const room = groups.reduce((sum, { size, max }) => sum + max - size, 0);
        expect(order).toHaveLength(Math.min(count, room));
        const after = groups.map((group) => ({
          ...group,
          to: group.size + order.filter((name) => name === group.name).length,
        }));
        const grown = after.filter(({ to, size }) => to > size);
        for (const { to, max } of after) {
          expect(to).toBeLessThanOrEqual(max);
        }
        // No group grew past a group that could still have taken the node.
        for (const { to: tall } of grown) {
          for (const { to: other, max } of after) {
            expect(other < max && other < tall - 1).toBe(false);
          }
        }
      }),
    );
  });
});
