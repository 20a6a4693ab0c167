import { describe, expect, test } from 'vitest';
import { err, ok } from '../../../../core/model/values/result.ts';
import { addTime, epochMs, minutes, seconds, type DurationMs } from '../../../../core/model/values/time.ts';
import type { AwsFailure } from '../../../../providers/aws/api/failures.ts';
import { createLookup, type LookupResult, loadEach } from '../../../../providers/aws/api/lookup.ts';

const THROTTLED: AwsFailure = { class: 'Throttled', code: 'Throttling', message: 'Rate exceeded' };
const DENIED: AwsFailure = { class: 'Authorization', code: 'AccessDenied', message: 'no' };

/** A lookup over a world whose answers the test sets, and whose clock it moves. */
function world() {
  let time = epochMs(0);
  const asked: string[][] = [];
  const answers = new Map<string, LookupResult<string>>();
  const lookup = createLookup(
    (keys) => {
      asked.push([...keys]);
      return Promise.resolve(new Map(keys.flatMap((key) => (answers.has(key) ? [[key, answers.get(key)!]] : []))));
    },
    minutes(20),
    () => time,
  );
  const get = async (key: string) => (await lookup.get([key])).get(key);
  const wait = (length: DurationMs) => {
    time = addTime(time, length);
  };
  return { lookup, asked, answers, get, wait };
}

describe('lookup', () => {
  test('asks once for each key, and again when its time is over', async () => {
    const { lookup, asked, answers, wait } = world();
    answers.set('a', ok('1')).set('b', ok('2'));

    await lookup.get(['a', 'a']);
    expect(await lookup.get(['a', 'b'])).toEqual(
      new Map([
        ['a', ok('1')],
        ['b', ok('2')],
      ]),
    );
    expect(asked).toEqual([['a'], ['b']]);

    wait(minutes(20));
    await lookup.get(['a']);
    expect(asked).toEqual([['a'], ['b'], ['a']]);
  });

  test('asks nothing when nothing is wanted', async () => {
    const { lookup, asked } = world();
    expect(await lookup.get([])).toEqual(new Map());
    expect(asked).toEqual([]);
  });

  test('takes a key that was not answered for one that does not exist', async () => {
    const { get } = world();
    expect(await get('a')).toEqual(err({ class: 'Configuration', code: 'NotFound', message: 'no a' }));
  });

  test.each([
    ['throttled', THROTTLED, seconds(30)],
    ['denied', DENIED, minutes(5)],
  ])('remembers that it was %s for a while', async (_, failure, ttl) => {
    const { asked, answers, get, wait } = world();
    answers.set('a', err(failure));
    expect(await get('a')).toEqual(err(failure));

    answers.set('a', ok('1'));
    wait((ttl - 1) as DurationMs);
    expect(await get('a')).toEqual(err(failure));
    wait(1 as DurationMs);
    expect(await get('a')).toEqual(ok('1'));
    expect(asked).toHaveLength(2);
  });

  test('uses what it knew on while AWS throttles, and no longer once AWS says no', async () => {
    const { answers, get, wait } = world();
    answers.set('a', ok('old'));
    await get('a');

    answers.set('a', err(THROTTLED));
    wait(minutes(45));
    expect(await get('a')).toEqual(ok('old'));

    answers.set('a', err(DENIED));
    wait(seconds(30));
    expect(await get('a')).toEqual(err(DENIED));
  });

  test('throws bugs on', async () => {
    const lookup = createLookup(
      () => Promise.reject(new TypeError('bug')),
      minutes(1),
      () => epochMs(0),
    );
    await expect(lookup.get(['a'])).rejects.toThrow('bug');
  });
});

describe('one call each', () => {
  test('fails for its own keys only', async () => {
    const denied = Object.assign(new Error('no'), { name: 'AccessDenied', $metadata: {} });
    const found = await loadEach<string, string>(
      ['a', 'b', 'c'],
      (item) => (item === 'b' ? Promise.reject(denied) : Promise.resolve([[item, ok(item)]])),
      (item) => [item, `${item}'`],
    );
    expect(found).toEqual(
      new Map<string, LookupResult<string>>([
        ['a', ok('a')],
        ['b', err(DENIED)],
        ["b'", err(DENIED)],
        ['c', ok('c')],
      ]),
    );
  });

  test('has five under way at most', async () => {
    let underWay = 0;
    let most = 0;
    await loadEach(
      Array.from({ length: 20 }, (_, index) => String(index)),
      async (item) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise(setImmediate);
        underWay -= 1;
        return [[item, ok(item)] as const];
      },
      (item) => [item],
    );
    expect(most).toBe(5);
  });
});
