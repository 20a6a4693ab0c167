import { expect, test } from 'vitest';
import { groupName } from '../../core/model/values/names.ts';
import { type EpochMs, epochMs } from '../../core/model/values/time.ts';
import type { WorldEvent } from '../../providers/simulated/world-event.ts';
import { watchLowerings } from './lowerings.ts';

const GROUP = groupName('green');

test.each([
  { what: 'was lowered by another client', from: 5, to: 4, ago: 2_000, before: 5 },
  { what: 'was lowered so long ago that it is known', from: 5, to: 4, ago: 61_000, before: null },
  { what: 'was raised', from: 4, to: 5, ago: 2_000, before: null },
])('what a group may be told to have that $what: $before', ({ from, to, ago, before }) => {
  let now = epochMs(0);
  let tell: (event: WorldEvent) => void = () => {};
  const lowerings = watchLowerings({
    clock: { now: (): EpochMs => now },
    onEvent: (listener: typeof tell) => {
      tell = listener;
    },
  } as unknown as Parameters<typeof watchLowerings>[0]);
  tell({ kind: 'SizeSetElsewhere', group: GROUP, from, to, at: now });
  now = epochMs(ago);
  expect(lowerings.before(GROUP)).toBe(before);
  expect(lowerings.before(groupName('blue'))).toBeNull();
});
