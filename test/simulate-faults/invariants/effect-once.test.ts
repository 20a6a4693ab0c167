import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../core/model/values/time.ts';
import { sizeIntent } from '../../scenario-builders.ts';
import { effectOnce } from './effect-once.ts';
import type { Stage } from './invariant.ts';

const NOW = epochMs(1_000);

/** What is found when the size of a group is lowered once or more, while a drain ends the machine m-1 of it. */
function found({
  provider = 'clusterapi',
  state = 'Deleting',
  asked = true,
  ordered = 1,
  times = 1,
} = {}): readonly string[] {
  const violations: string[] = [];
  const watch = effectOnce.watch(
    {
      orders: { lostAt: () => -1, inHand: () => [], removalsOf: () => ordered },
      drains: () => [{ drain: { instance: 'm-1', phase: 'Terminating', terminateAskedAt: asked ? NOW : null } }],
      world: {
        provider,
        scaling: { groups: () => [{ group: { name: 'a' }, instances: [{ id: 'm-1', state }] }] },
      },
    } as unknown as Stage,
    (what) => violations.push(what),
    () => {},
  );
  for (let from = 5; from > 5 - times; from--) {
    watch.event!({ kind: 'SizeSet', at: NOW, group: 'a', from, to: from - 1 } as never);
  }
  return violations;
}

describe('a size that is lowered for a machine that has gone by itself since it was marked', () => {
  test('is lowered by its drain', () => {
    expect(found()).toEqual([]);
  });

  test('is so once', () => {
    expect(found({ times: 2 })).toEqual([
      expect.stringContaining('a goes from 4 to 3, which no open intent and no drain asks for'),
    ]);
  });

  test.each([
    ['the machine stays', { state: 'Running' }],
    ['its drain has not come so far', { asked: false }],
    ['Auto Scaling lowers the size and ends the instance in one call', { provider: 'aws' }],
  ])('is lowered by none where %s', (_, told) => {
    expect(found(told)).toEqual([
      expect.stringContaining('a goes from 5 to 4, which no open intent and no drain asks for'),
    ]);
  });

  test('is lowered in vain where its removal was not ordered', () => {
    expect(found({ ordered: 0 })).toEqual([expect.stringContaining('nobody has ordered the removal of m-1')]);
  });
});

test('a size is set once by an intent, and again by one that has its name since all was lost', () => {
  const violations: string[] = [];
  const intent = { ...sizeIntent('a', 1, 2, { id: '9-a' }), status: 'pending' };
  const { committed, event } = effectOnce.watch(
    {
      orders: { lostAt: () => -1, inHand: () => [intent], removalsOf: () => 0 },
      drains: () => [],
      world: { provider: 'aws', scaling: { groups: () => [] } },
    } as unknown as Stage,
    (what) => violations.push(what),
    () => {},
  );
  const set = (): void => event!({ kind: 'SizeSet', at: NOW, group: 'a', from: 1, to: 2 } as never);
  committed!({ intents: [intent] } as never);
  set();
  committed!({ intents: [intent] } as never);
  set();
  expect(violations).toEqual([]);
  set();
  expect(violations).toEqual([expect.stringContaining('intent 9-a has been carried out already')]);
});
