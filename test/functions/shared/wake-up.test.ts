import { assert, nat, pre, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterName } from '../../../core/model/names.ts';
import { epochMs } from '../../../core/model/time.ts';
import {
  dueMessage,
  MAX_DELAY_MS,
  parseWakeUp,
  putOff,
  wakeMessage,
  waitBeforeLook,
  WINDOW_MS,
} from '../../../functions/shared/wake-up.ts';

const web = clusterName('web');
const NOW = epochMs(1_767_268_800_000); // the beginning of a window
const at = (ms: number) => epochMs(NOW + ms);

describe('wake-up messages', () => {
  it('are one per cluster and window', () => {
    const first = wakeMessage(web, at(0));
    expect(wakeMessage(web, at(WINDOW_MS - 1)).deduplicationId).toBe(first.deduplicationId);
    expect(wakeMessage(web, at(WINDOW_MS)).deduplicationId).not.toBe(first.deduplicationId);
    expect(wakeMessage(clusterName('other'), at(0)).deduplicationId).not.toBe(first.deduplicationId);
  });

  it('do not let a second look take the place of a doorbell', () => {
    expect(wakeMessage(web, at(0), 1).deduplicationId).not.toBe(wakeMessage(web, at(0)).deduplicationId);
  });

  it.each([0, 1, 3])('are read as they were written, look %i', (look) => {
    expect(parseWakeUp(wakeMessage(web, at(7), look).body)).toEqual({
      ok: true,
      value: { cluster: 'web', at: at(7), look, due: null },
    });
  });

  it('from the schedule have no time to wait for', () => {
    expect(parseWakeUp('{"cluster":"web","tick":"2026-01-01T12:00:00Z"}')).toEqual({
      ok: true,
      value: { cluster: 'web', at: null, look: 0, due: null },
    });
  });

  it.each([
    '',
    'x',
    'null',
    '[]',
    '{}',
    '{"cluster":""}',
    '{"cluster":"web","at":"soon"}',
    '{"cluster":"web","look":9}',
  ])('are refused when they say %j', (body) => {
    expect(parseWakeUp(body)).toMatchObject({ ok: false });
  });
});

const wait = (message: number | null, now: number, look = 0): number =>
  waitBeforeLook([{ cluster: web, at: message === null ? null : at(message), look, due: null }], at(now));

describe('waiting before a look', () => {
  it.each([
    { name: 'until the end of the window', message: 10, now: 20, expected: 230 },
    { name: 'not when the window is over', message: 10, now: 250, expected: 0 },
    { name: 'not for old messages', message: -60_000, now: 0, expected: 0 },
    { name: 'not for ticks', message: null, now: 0, expected: 0 },
    { name: 'never more than a window, whatever the message says', message: 3_600_000, now: 0, expected: 250 },
  ])('waits $name', ({ message, now, expected }) => {
    expect(wait(message, now)).toBe(expected);
  });

  it('keeps a window between looks', () => {
    expect(wait(200, 210, 1)).toBe(240);
  });

  it('waits for the newest of several', () => {
    const messages = [10, 260, 120].map((ms) => ({ cluster: web, at: at(ms), look: 0, due: null }));
    expect(waitBeforeLook(messages, at(300))).toBe(200);
  });

  it('loses no doorbell: whoever is dropped as a duplicate has rung before the look', () => {
    assert(
      property(nat(10_000), nat(500), nat(500), (kept, later, delay) => {
        const first = wakeMessage(web, at(kept));
        const second = wakeMessage(web, at(kept + later));
        pre(first.deduplicationId === second.deduplicationId);
        expect(kept + later).toBeLessThan(kept + delay + wait(kept, kept + delay));
      }),
    );
  });
});

describe('wake-ups for later', () => {
  const read = (due: number) => {
    const parsed = parseWakeUp(dueMessage(web, at(0), at(due)).body);
    if (!parsed.ok) {
      throw new Error(parsed.error);
    }
    return parsed.value;
  };

  it('are due at the end of their second', () => {
    expect(read(1_001)).toEqual({ cluster: 'web', at: at(0), look: 0, due: at(2_000) });
  });

  it('are one for each second, and block none but those of theirs', () => {
    const [first, same, other] = [1_001, 2_000, 2_001].map((due) => dueMessage(web, at(0), at(due)));
    expect(same).toEqual(first);
    expect(other!.deduplicationId).not.toBe(first!.deduplicationId);
    expect(other!.group).not.toBe(first!.group);
    expect(first!.group).not.toBe(wakeMessage(web, at(0)).group);
  });

  it.each([
    { name: 'until they are due', now: 0, due: 5_000, expected: 5 },
    { name: 'never for less than what is left', now: 1, due: 5_000, expected: 5 },
    { name: 'not when they are due', now: 5_000, due: 5_000, expected: 0 },
    { name: 'never beyond the next tick', now: 0, due: 3_600_000, expected: MAX_DELAY_MS / 1_000 },
  ])('are put off $name', ({ now, due, expected }) => {
    expect(putOff(read(due), at(now))).toBe(expected);
  });

  it('are not what doorbells and ticks are', () => {
    expect(putOff({ cluster: web, at: at(9_000), look: 0, due: null }, at(0))).toBe(0);
  });
});
