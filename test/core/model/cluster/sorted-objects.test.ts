import { expect, test } from 'vitest';
import { keyOf } from '../../../../core/model/cluster/pod.ts';
import { sortedPods, withChangedPods } from '../../../../core/model/cluster/sorted-objects.ts';
import { pod } from '../../../builders.ts';

const named = (key: string) => {
  const [namespace, name] = key.split('/') as [string, string];
  return pod(name, { namespace });
};
/** A namespace sorts by its key, in which `-` comes before `/`. */
const LIST = sortedPods(['shop-2/web-1', 'shop/web-1', 'shop/web-10', 'shop/web-2', 'a/z'].map(named));

test('a list of pods after some have come, changed and gone is the sorted list of those that are there', () => {
  const present = new Map(LIST.map((one) => [keyOf(one), one]));
  const gone = named('shop/web-10');
  const changed = { ...named('shop/web-2'), ready: true };
  const come = ['shop-2/a', 'shop/web-11', 'zoo/web-1'].map(named);
  const neverSeen = named('shop/web-3');
  present.delete(keyOf(gone));
  for (const one of [changed, ...come]) {
    present.set(keyOf(one), one);
  }
  const list = withChangedPods(LIST, [gone, neverSeen, ...come, changed], (one) => present.get(keyOf(one)));
  expect(list).toEqual(sortedPods([...present.values()].toReversed()));
  expect(sortedPods(list)).toBe(list);
  expect(LIST).toHaveLength(5);
});
