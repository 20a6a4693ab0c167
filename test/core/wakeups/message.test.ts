import { expect, test } from 'vitest';
import { clusterName } from '../../../core/model/values/names.ts';
import { epochMs, seconds } from '../../../core/model/values/time.ts';
import {
  dueMessage,
  readyNodeMessage,
  scanMessage,
  scansBetween,
  type WakeMessage,
  wakeMessage,
  wakeUpOf,
} from '../../../core/wakeups/message.ts';
import type { WakeUp } from '../../../core/wakeups/wake-up.ts';

const WEB = clusterName('web');
const NOW = epochMs(Date.UTC(2026, 0, 15, 9, 0, 0, 100));
const DUE = epochMs(Date.UTC(2026, 0, 15, 9, 0, 7));

function read({ body }: WakeMessage): WakeUp {
  const { at, due, attempt, readyNode } = JSON.parse(body) as Record<'at' | 'due', string | undefined> & {
    readonly attempt?: number;
    readonly readyNode?: boolean;
  };
  const time = (text: string | undefined) => (text === undefined ? undefined : epochMs(Date.parse(text)));
  return wakeUpOf(time(at), time(due), attempt ?? 0, readyNode);
}

test.each<[string, WakeMessage, WakeUp]>([
  ['a notification', wakeMessage(WEB, NOW), { kind: 'webhook', at: NOW }],
  ['a recheck', wakeMessage(WEB, NOW, 2), { kind: 'recheck', at: NOW, attempt: 2 }],
  ['a ready node', readyNodeMessage(WEB, NOW), { kind: 'ready node', at: NOW }],
  ['a wake-up for later', dueMessage(WEB, NOW, DUE), { kind: 'scheduled', due: DUE, attempt: 0 }],
  ['a recheck for later', dueMessage(WEB, NOW, DUE, 3), { kind: 'scheduled', due: DUE, attempt: 3 }],
  ['a scan', scanMessage(WEB, NOW), { kind: 'scan' }],
])('a message says what it was written for: %s', (_, message, wakeUp) => {
  expect(read(message)).toEqual(wakeUp);
});

test('notifications of a quarter of a second are one message, and each recheck of them is one', () => {
  const ids = [100, 240, 250].map((ms) => wakeMessage(WEB, epochMs(NOW - 100 + ms)).deduplicationId);
  expect(ids[1]).toBe(ids[0]);
  expect(
    new Set([...ids, wakeMessage(WEB, NOW, 1).deduplicationId, wakeMessage(WEB, NOW, 2).deduplicationId]).size,
  ).toBe(4);
});

test('scans between two of the schedule come at multiples of the interval, in groups of their own', () => {
  const scans = scansBetween(WEB, NOW, seconds(20));
  expect(scans.map(read)).toEqual(
    [20, 40, 60].map((second) => ({ kind: 'scan', due: epochMs(Date.UTC(2026, 0, 15, 9, 0, second)) })),
  );
  expect(new Set(scans.map(({ group }) => group)).size).toBe(3);
  expect(scansBetween(WEB, NOW, seconds(60))).toEqual([]);
});
