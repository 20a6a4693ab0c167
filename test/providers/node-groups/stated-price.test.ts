import { expect, test } from 'vitest';
import { err, ok } from '../../../core/model/values/result.ts';
import { statedPrice } from '../../../providers/node-groups/stated-price.ts';

test.each<readonly [string | undefined, ReturnType<typeof statedPrice>]>([
  [undefined, ok(null)],
  ['0.096', ok(0.096)],
  ['0', ok(0)],
  [' 1e-2 ', ok(0.01)],
  ['', err('tag outrigger.dev/price: expected USD per hour, such as 0.096, found ""')],
  ['cheap', err('tag outrigger.dev/price: expected USD per hour, such as 0.096, found "cheap"')],
  ['-1', err('tag outrigger.dev/price: expected USD per hour, such as 0.096, found "-1"')],
  ['Infinity', err('tag outrigger.dev/price: expected USD per hour, such as 0.096, found "Infinity"')],
])('the tag %j gives a price', (text, expected) => {
  expect(statedPrice(text, 'tag')).toEqual(expected);
});
