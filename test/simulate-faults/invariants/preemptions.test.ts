import { expect, test } from 'vitest';
import { epochMs } from '../../../core/model/values/time.ts';
import { pod } from '../../builders.ts';
import { SIZE_LABEL } from '../pools.ts';
import { watchPreemptions } from './preemptions.ts';

const sized = (name: string, units: number) => pod(name, { labels: { [SIZE_LABEL]: String(units) } });
const by = sized('by', 3);

test('more is cleared than a pod takes, told once', () => {
  const clearsMore = watchPreemptions();
  const victims = [1, 2, 1, 1].map((units, i) => sized(`victim-${i}`, units));
  expect(victims.map((victim) => clearsMore(victim, by, epochMs(5)))).toEqual([false, false, true, false]);
});

test('each time that it preempts others, and for each pod', () => {
  const clearsMore = watchPreemptions();
  expect(clearsMore(sized('a', 4), by, epochMs(5))).toBe(true);
  expect(clearsMore(sized('b', 4), sized('other', 3), epochMs(5))).toBe(true);
  expect(clearsMore(sized('c', 2), by, epochMs(60))).toBe(false);
  expect(clearsMore(sized('d', 2), by, epochMs(60))).toBe(true);
});
