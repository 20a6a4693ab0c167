import { expect, test } from 'vitest';
import type { PodOutcomeKind } from '../../../core/model/decision.ts';
import { groupName, podKey } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { nextLookAtPods } from '../../../core/wakeups/waiting-pods.ts';
import { pod } from '../../builders.ts';
import { NOW, scenario } from '../../scenario-builders.ts';

/** The next look at a pod that has been unschedulable for so many seconds. */
function lookAt(
  outcome: PodOutcomeKind,
  waited: number,
  now: EpochMs = NOW,
  upcoming = { [groupName('web')]: 1 },
): EpochMs | null {
  const since = epochMs(now - waited * 1_000);
  const waiting = pod('waiting', { unscheduled: { reason: 'Unschedulable', since } });
  const outcomes = [{ pod: podKey('default', 'waiting'), outcome }];
  return nextLookAtPods(
    { now, objects: scenario({ pods: [waiting] }).objects },
    {
      scaleUp: {
        result: 'NotNeeded',
        increases: [],
        pods: outcomes,
        upcoming,
        skippedGroups: [],
        considered: [],
        plan: null,
      },
    },
  );
}

test.each([
  ['fits', 'Fits', 1, addTime(NOW, seconds(10))],
  ['has caused a launch', 'Triggered', 1, addTime(NOW, seconds(10))],
  ['fits no group', 'Unschedulable', 1, null],
  ['waits for a limit', 'Awaiting', 1, null],
  ['has waited for nearly five minutes', 'Fits', 299, addTime(NOW, seconds(10))],
  ['has waited for five minutes', 'Fits', minutes(5) / 1_000, null],
] as const)('a pod that %s', (_, outcome, waited, expected) => {
  expect(lookAt(outcome, waited)).toBe(expected);
});

test('a pod that fits, where no node is to come', () => {
  expect(lookAt('Fits', 1, NOW, { [groupName('web')]: 0 })).toBeNull();
});

test('evaluations within five seconds ask for the same time, and for none that is nearer than five seconds', () => {
  const looks = [0, 1, 4.9, 5, 5.1, 9.9].map((later) => lookAt('Fits', 1, epochMs(NOW + later * 1_000))! - NOW);
  expect(looks).toEqual([10_000, 10_000, 10_000, 10_000, 20_000, 20_000]);
});
