import { describe, expect, test } from 'vitest';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { NO_EVALUATIONS, type EvaluationHistory } from '../../../core/wakeups/spacing.ts';
import type { WakeUp } from '../../../core/wakeups/wake-up.ts';
import { isAnsweredBy, wantedBy } from '../../../core/wakeups/wanted.ts';

const NOW = epochMs(Date.UTC(2026, 0, 15, 9, 0, 0, 250));
const AT = epochMs(NOW - 250);
const SCAN: WakeUp = { kind: 'scan' };
const WEBHOOK: WakeUp = { kind: 'webhook', at: AT };
const READY_NODE: WakeUp = { kind: 'ready node', at: AT };
const recheck = (attempt: number): WakeUp => ({ kind: 'recheck', at: AT, attempt });
const scheduled = (attempt: number): WakeUp => ({ kind: 'scheduled', due: AT, attempt });

/** The last evaluation was the tenth in vain, half a second ago. */
const IN_VAIN: EvaluationHistory = {
  ...NO_EVALUATIONS,
  last: { startedAt: epochMs(NOW - 500), attempt: 0 },
  lastWokenAt: epochMs(NOW - 500),
  withoutNews: 10,
};

describe('wake-ups', () => {
  test.each<[string, readonly WakeUp[], object]>([
    ['a webhook notification', [WEBHOOK], { attempt: 0, forNodes: false, due: null }],
    ['a scan', [SCAN], { attempt: null, forNodes: true, due: null }],
    ['a scan beside a notification', [WEBHOOK, SCAN], { attempt: null, forNodes: true, due: null }],
    ['a ready node', [READY_NODE], { attempt: 0, forNodes: true, due: null }],
    ['what was put off', [scheduled(2)], { attempt: 2, forNodes: true, due: null }],
    ['a time', [scheduled(3), { kind: 'scheduled', due: NOW, attempt: 3 }], { attempt: 3, forNodes: true, due: NOW }],
    ['a time beside a recheck', [scheduled(3), recheck(3)], { attempt: 3, forNodes: true, due: null }],
    ['rechecks', [recheck(3), recheck(1)], { attempt: 1, forNodes: false, due: null }],
  ])('are answered by an evaluation: %s', (_, wakeUps, evaluation) => {
    expect(wantedBy(wakeUps, NO_EVALUATIONS, NOW)).toEqual({ kind: 'evaluate', waitMs: 0, ...evaluation });
  });

  test('are answered by an evaluation that began after all of them', () => {
    const history = { ...NO_EVALUATIONS, last: { startedAt: NOW, attempt: 0 } };
    expect(wantedBy([], NO_EVALUATIONS, NOW)).toEqual({ kind: 'answered' });
    expect(wantedBy([{ kind: 'webhook', at: epochMs(NOW - 5_000) }], history, NOW)).toEqual({ kind: 'answered' });
  });

  test('are put off after evaluations in vain, for ten seconds since the last one', () => {
    expect(wantedBy([WEBHOOK], IN_VAIN, NOW)).toEqual({ kind: 'put off', until: epochMs(NOW + 9_500), attempt: 0 });
    expect(wantedBy([recheck(2)], { ...IN_VAIN, withoutNews: 5 }, NOW)).toEqual({
      kind: 'evaluate',
      waitMs: 0,
      attempt: 2,
      forNodes: false,
      due: null,
    });
  });

  test.each<[string, readonly WakeUp[]]>([
    ['a ready node, which holds nothing until then', [WEBHOOK, READY_NODE]],
    ['a scan', [WEBHOOK, SCAN]],
  ])('are not put off with %s', (_, wakeUps) => {
    expect(wantedBy(wakeUps, IN_VAIN, NOW)).toMatchObject({ kind: 'evaluate', waitMs: 0 });
  });
});

describe('a wake-up for a time', () => {
  const after = (ms: number) => ({ ...EMPTY_STATE, lastScaleUpEvaluation: epochMs(AT + ms) });

  test('is answered by an evaluation that has decided a second after it, whose reading took as long', () => {
    expect(isAnsweredBy(after(1_000), AT)).toBe(true);
    expect(isAnsweredBy(after(999), AT)).toBe(false);
  });

  test('is answered by none where none is known, and no other wake-up is', () => {
    expect(isAnsweredBy(EMPTY_STATE, AT)).toBe(false);
    expect(isAnsweredBy(after(60_000), null)).toBe(false);
  });
});
