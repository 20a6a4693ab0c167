import { assert, nat, pre, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { MAX_DELAY_MS, secondsToPutOff, waitBeforeEvaluation } from '../../../core/wakeups/wake-up.ts';
import { wakeMessage } from '../../../core/wakeups/message.ts';

const web = clusterName('web');
const NOW = epochMs(1_767_268_800_000); // the beginning of a window
const at = (ms: number) => epochMs(NOW + ms);

const wait = (message: number | null, now: number): number =>
  waitBeforeEvaluation([message === null ? { kind: 'scan' } : { kind: 'webhook', at: at(message) }], at(now));

describe('waiting before an evaluation', () => {
  it.each([
    { name: 'until the end of the window', message: 10, now: 20, expected: 230 },
    { name: 'not when the window is over', message: 10, now: 250, expected: 0 },
    { name: 'not for old messages', message: -60_000, now: 0, expected: 0 },
    { name: 'not for scans', message: null, now: 0, expected: 0 },
    { name: 'never more than a window, whatever the message says', message: 3_600_000, now: 0, expected: 250 },
  ])('waits $name', ({ message, now, expected }) => {
    expect(wait(message, now)).toBe(expected);
  });

  it('keeps the distance of a window before a recheck', () => {
    expect(waitBeforeEvaluation([{ kind: 'recheck', at: at(200), attempt: 1 }], at(210))).toBe(240);
  });

  it('waits for the newest of several', () => {
    const messages = [10, 260, 120].map((ms) => ({ kind: 'webhook', at: at(ms) }) as const);
    expect(waitBeforeEvaluation(messages, at(300))).toBe(200);
  });

  it('loses no notification: one that is dropped as a duplicate was sent before the evaluation', () => {
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
  it.each([
    { name: 'until they are due', now: 0, due: 5_000, expected: 5 },
    { name: 'never for less than what is left', now: 1, due: 5_000, expected: 5 },
    { name: 'not when they are due', now: 5_000, due: 5_000, expected: 0 },
    { name: 'never beyond the next scan', now: 0, due: 3_600_000, expected: MAX_DELAY_MS / 1_000 },
  ])('are put off $name', ({ now, due, expected }) => {
    expect(secondsToPutOff({ kind: 'scheduled', due: at(due), attempt: 0 }, at(now))).toBe(expected);
  });

  it('are not what other wake-ups are', () => {
    expect(secondsToPutOff({ kind: 'webhook', at: at(9_000) }, at(0))).toBe(0);
    expect(secondsToPutOff({ kind: 'scan' }, at(0))).toBe(0);
  });
});
