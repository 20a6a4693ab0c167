import { expect, it } from 'vitest';
import type { StoredDrain } from '../../../core/model/drain.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { type EpochMs, epochMs, minutes } from '../../../core/model/values/time.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { overdueWork } from '../../../core/wakeups/overdue-work.ts';
import { overdueWorkText } from '../../../core/words/overdue-work.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { intentOf } from '../../providers/state-store.contract.ts';
import { NOW } from '../../scenario-builders.ts';

const SCAN = minutes(1);
const ago = (elapsed: number): EpochMs => epochMs(NOW - minutes(elapsed));
type Stored = Parameters<typeof overdueWork>[0];
const stored = (given: Partial<Omit<Stored, 'state'>> = {}, lastEvaluation: EpochMs | null = ago(1)): Stored => ({
  version: 50,
  state: { ...EMPTY_STATE, lastEvaluation },
  intents: [],
  drains: [],
  ...given,
});
const waits = (elapsed: number, status: 'pending' | 'done' = 'pending') =>
  stored({ intents: [{ ...intentOf(1, 'a'), createdAt: ago(elapsed), status }] });
const bursting = (elapsed: number, version: number): Stored => ({
  ...stored({ version }, null),
  state: {
    ...EMPTY_STATE,
    scaleUpRequests: [{ group: groupName('a'), increase: 1, time: ago(elapsed), expectedAddTime: ago(elapsed - 15) }],
  },
});
const driven = (given: Partial<StoredDrain>, phase: 'Evicting' | 'Removed' = 'Evicting') =>
  stored({
    drains: [
      { drain: drainOf('n1', { phase, createdAt: ago(30) }), attempt: 1, drivenUntil: NOW, revision: 1, ...given },
    ],
  });

it.each<{ name: string; given: Stored; late: readonly string[] }>([
  { name: 'nothing where all do their part', given: stored(), late: [] },
  { name: 'nothing of scale-down while the cluster is idle', given: stored({}, ago(14)), late: [] },
  { name: 'scale-down, where it was not evaluated for long', given: stored({}, ago(16)), late: ['ScaleDownSilent'] },
  { name: 'nothing of scale-down in a deployment that has just begun', given: stored({ version: 3 }, null), late: [] },
  { name: 'nothing of scale-down in the burst that a new deployment begins with', given: bursting(1, 50), late: [] },
  { name: 'scale-down after that burst', given: bursting(3, 50), late: ['ScaleDownSilent'] },
  { name: 'scale-down where bursts never end', given: bursting(1, 300), late: ['ScaleDownSilent'] },
  { name: 'scale-down, where it never was evaluated', given: stored({}, null), late: ['ScaleDownSilent'] },
  { name: 'nothing of an intent that is tried again', given: waits(4), late: [] },
  { name: 'an intent that waits', given: waits(6), late: ['IntentWaits'] },
  { name: 'nothing of an intent that has ended', given: waits(60, 'done'), late: [] },
  { name: 'nothing of a drain that is given another driver', given: driven({ drivenUntil: ago(3) }), late: [] },
  { name: 'a drain that no driver takes', given: driven({ drivenUntil: ago(6) }), late: ['DrainStalls'] },
  { name: 'a drain whose drivers die', given: driven({ attempt: 4 }), late: ['DrainStalls'] },
  { name: 'nothing of a drain that has ended', given: driven({ drivenUntil: ago(60) }, 'Removed'), late: [] },
])('is overdue: $name', ({ given, late }) => {
  expect(overdueWork(given, defaultOptions(), SCAN, NOW).map(({ kind }) => kind)).toEqual(late);
});

it('is told with what it is about, since when, and where to look', () => {
  const texts = [stored({}, ago(16)), stored({}, null), waits(6), driven({ attempt: 4 })].flatMap((given) =>
    overdueWork(given, defaultOptions(), SCAN, NOW).map(overdueWorkText),
  );
  expect(texts).toEqual([
    'last at 2026-01-01T11:44:00Z: Scale-down has not been evaluated for longer than it should be: unneeded nodes are kept. See the log of the ScaleDown function.',
    'Scale-down has not been evaluated for longer than it should be: unneeded nodes are kept. See the log of the ScaleDown function.',
    'node group a, since 2026-01-01T11:54:00Z: A decided change of the node group has been waiting for longer than five minutes. See the log of the Actuate function.',
    'node n1, since 2026-01-01T11:30:00Z: The function that drains the node is not at work, or has failed again and again. See the logs of the Drain and the Actuate function.',
  ]);
});

it.each([
  { elapsed: 94, late: [] },
  { elapsed: 96, late: ['ScaleDownSilent'] },
])('is scale-down only after three scans, where they are rare: $elapsed minutes', ({ elapsed, late }) => {
  const found = overdueWork(stored({}, ago(elapsed)), defaultOptions(), minutes(30), NOW);
  expect(found.map(({ kind }) => kind)).toEqual(late);
});
