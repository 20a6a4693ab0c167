import { expect, it } from 'vitest';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { withPausedTimers } from '../../../core/wakeups/unwatched-timers.ts';
import { NOW } from '../../scenario-builders.ts';

const since = epochMs(NOW - minutes(60));
const unneeded = { [nodeName('n1')]: since };

it.each([
  { name: 'go on from scan to scan', scan: 1, elapsed: 1, kept: true },
  { name: 'go on over a few lost scans', scan: 1, elapsed: 5, kept: true },
  { name: 'start anew after an outage', scan: 1, elapsed: 6, kept: false },
  { name: 'go on from scan to scan where scans are rare', scan: 30, elapsed: 30, kept: true },
  { name: 'go on over two lost scans where scans are rare', scan: 30, elapsed: 90, kept: true },
  { name: 'start anew after an outage where scans are rare', scan: 30, elapsed: 91, kept: false },
])('the clocks of unneeded nodes $name', ({ scan, elapsed, kept }) => {
  const state = { ...EMPTY_STATE, unneededSince: unneeded, lastEvaluation: epochMs(NOW - minutes(elapsed)) };
  expect(withPausedTimers(state, minutes(scan), NOW).unneededSince).toEqual(kept ? unneeded : {});
});

it('the clocks of unneeded nodes are kept where there was no evaluation yet', () => {
  const state = { ...EMPTY_STATE, unneededSince: unneeded };
  expect(withPausedTimers(state, minutes(1), NOW)).toBe(state);
});
