import { expect, test } from 'vitest';
import { groupName } from '../../../core/model/values/names.ts';
import type { Intent } from '../../../core/model/intent.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import type { WorldEvent } from '../../../providers/simulated/world-event.ts';
import { intentOf } from '../../providers/state-store.contract.ts';
import { decidedFrom } from './decided-from.ts';
import type { Stage } from './invariant.ts';

const sizeSet = (minute: number, from: number, to: number): WorldEvent => ({
  kind: 'SizeSet',
  at: epochMs(minute * 60_000),
  group: groupName('g'),
  from,
  to,
});
const intents: readonly Intent[] = [intentOf(1, 'g', { from: 3, to: 5 })];

test.each([
  { name: 'from the size that was decided upon', events: [sizeSet(1, 3, 5)], found: 0 },
  { name: 'from another one', events: [sizeSet(1, 4, 5)], found: 1 },
  { name: 'from one that no evaluation could have seen', events: [sizeSet(1, 3, 4), sizeSet(1.2, 4, 5)], found: 0 },
  { name: 'from one that was there for a minute', events: [sizeSet(1, 3, 4), sizeSet(2, 4, 5)], found: 1 },
  { name: 'to a size that was not decided', events: [sizeSet(1, 4, 9)], found: 0 },
])('a size is set $name: $found violations', ({ events, found }) => {
  const violations: string[] = [];
  const stage = { orders: { open: () => intents } } as unknown as Stage;
  const watch = decidedFrom.watch(
    stage,
    (what) => violations.push(what),
    () => {},
  );
  for (const event of events) {
    watch.event!(event);
  }
  expect(violations).toHaveLength(found);
});
