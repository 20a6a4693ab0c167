import { describe, expect, it } from 'vitest';
import { groupName, instanceId } from '../../../core/model/names.ts';
import { type Instance, placeholderId } from '../../../core/model/node-group.ts';
import type { Intent, IntentStatus } from '../../../core/model/ports.ts';
import { withPending } from '../../../functions/scale-up/pending.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { addTime, epochMs, minutes, seconds } from '../../../core/model/time.ts';
import { group, NOW, running } from '../../scenario-builders.ts';

const common = { createdAt: NOW, attempts: 0, claimedUntil: null, outcome: null } as const;
const size = (id: string, from: number, to: number, status: IntentStatus = 'pending', of = 'a'): Intent => ({
  ...common,
  id,
  kind: 'SetSize',
  group: groupName(of),
  from,
  to,
  status,
});
const end = (id: string, instances: readonly string[], force = false): Intent => ({
  ...common,
  id,
  kind: 'DeleteInstances',
  group: groupName('a'),
  instances: instances.map(instanceId),
  force,
  status: 'pending',
});

describe('a group with changes under way', () => {
  it.each([
    { name: 'none', intents: [], target: 3, ending: [] },
    { name: 'growth', intents: [size('1-a', 3, 5)], target: 5, ending: [] },
    { name: 'growth that is set already', intents: [size('1-a', 1, 3)], target: 3, ending: [] },
    { name: 'a smaller size', intents: [size('1-a', 3, 2)], target: 2, ending: [] },
    { name: 'sizes one after the other', intents: [size('10-a', 5, 9), size('9-a', 3, 5)], target: 9, ending: [] },
    { name: 'growth from another size, which will be refused', intents: [size('1-a', 2, 9)], target: 3, ending: [] },
    { name: 'what has ended', intents: [size('1-a', 3, 5, 'refused')], target: 3, ending: [] },
    { name: 'another group’s', intents: [size('1-b', 3, 5, 'pending', 'b')], target: 3, ending: [] },
    { name: 'machines to end', intents: [end('1-a', ['i-1', 'i-2'])], target: 1, ending: ['i-1', 'i-2'] },
    { name: 'machines that are gone', intents: [end('1-a', ['i-1', 'i-9'])], target: 2, ending: ['i-1'] },
    {
      name: 'machines down to the minimum',
      intents: [end('1-a', ['i-1', 'i-2', 'i-3'])],
      target: 1,
      ending: ['i-1', 'i-2'],
    },
    {
      name: 'machines that are replaced at the minimum',
      intents: [end('1-a', ['i-1', 'i-2', 'i-3'], true)],
      target: 1,
      ending: ['i-1', 'i-2', 'i-3'],
    },
    {
      name: 'all that one decision asked for',
      intents: [size('1.1-a', 2, 6), end('1-a', ['i-1'])],
      target: 6,
      ending: ['i-1'],
    },
  ])('$name', ({ intents, target, ending }) => {
    const given = group('a', { min: 1, target: 3, instances: ['i-1', 'i-2', 'i-3'].map((id) => running(id, null)) });
    const then = withPending(given, { intents, state: EMPTY_STATE }, NOW);
    expect(then.targetSize).toBe(target);
    expect(then.instances.filter(({ state }) => state === 'Deleting').map(({ id }) => id)).toEqual(ending);
  });
});

describe('machines that could not be launched', () => {
  const missing = (n: number): Instance => ({
    id: placeholderId(groupName('a'), n),
    node: null,
    zone: null,
    state: 'Creating',
    error: { class: 'OutOfResources', code: 'InsufficientInstanceCapacity', message: 'none left' },
  });

  it.each([
    { name: 'all of them', intents: [size('1-a', 3, 1)], left: [] },
    { name: 'the last of them', intents: [size('1-a', 3, 2)], left: [0] },
    { name: 'none by growth', intents: [size('1-a', 3, 5)], left: [0, 1] },
    { name: 'as many as after growth', intents: [size('1-a', 3, 4), size('2-a', 4, 2)], left: [] },
    { name: 'none by a size that will be refused', intents: [size('1-a', 2, 1)], left: [0, 1] },
  ])('are given up with a smaller size, and not a second time: $name', ({ intents, left }) => {
    const given = group('a', { target: 3, instances: [running('i-1', null), missing(0), missing(1)] });
    expect(withPending(given, { intents, state: EMPTY_STATE }, NOW).instances.map(({ id }) => id)).toEqual([
      'i-1',
      ...left.map((n) => placeholderId(groupName('a'), n)),
    ]);
  });
});

describe('a group that is shown as it was before a change', () => {
  const justDone = (intent: Intent): Intent => ({
    ...intent,
    status: 'done',
    claimedUntil: addTime(NOW, seconds(30)),
  });
  const given = group('a', { min: 1, target: 3, instances: ['i-1', 'i-2', 'i-3'].map((id) => running(id, null)) });
  const seenAt = (length: number, ...intents: Intent[]) =>
    withPending(given, { intents, state: EMPTY_STATE }, addTime(NOW, seconds(length)));

  it('has what was done under a claim that still lasts', () => {
    expect(seenAt(0, justDone(size('1-a', 3, 5))).targetSize).toBe(5);
    expect(seenAt(0, justDone(size('1-a', 1, 2)), justDone(size('2-a', 2, 3))).targetSize).toBe(3);
    expect(seenAt(0, justDone(end('1-a', ['i-1'])), size('2-a', 2, 6)).targetSize).toBe(6);
  });

  it.each([
    { what: 'after the size was set', intent: justDone(size('1-a', 4, 6)), ended: 1, target: 5 },
    { what: 'before it was', intent: justDone(size('1-a', 3, 6)), ended: 1, target: 6 },
    { what: 'one before and one after it was', intent: justDone(size('1-a', 4, 6)), ended: 2, target: 5 },
    { what: 'and the size had been set from another', intent: justDone(size('1-a', 5, 6)), ended: 1, target: 3 },
    { what: 'and the size is still to be set: it will be refused', intent: size('1-a', 4, 6), ended: 1, target: 3 },
  ])('and in which a drain has ended machines that are still shown, $what', ({ intent, ended, target }) => {
    expect(withPending(given, { intents: [intent], state: EMPTY_STATE }, NOW, ended).targetSize).toBe(target);
  });

  it('is believed once the claim is over', () => {
    expect(seenAt(30, justDone(size('1-a', 3, 5))).targetSize).toBe(3);
  });
});

describe('a group that has failed', () => {
  const failedAt = (time: number) => ({
    ...EMPTY_STATE,
    backoff: {
      [groupName('a')]: {
        until: addTime(NOW, minutes(5)),
        duration: minutes(5),
        lastFailure: epochMs(time),
        class: 'OutOfResources' as const,
      },
    },
  });
  const target = (time: number, ...intents: Intent[]) =>
    withPending(group('a', { target: 3 }), { intents, state: failedAt(time) }, NOW).targetSize;

  it('will not have what was decided before: its pods are planned anew', () => {
    expect(target(NOW, size('1-a', 3, 5))).toBe(3);
    expect(target(NOW + 1, size('1-a', 3, 5))).toBe(3);
  });

  it('will have what was decided since, and is lowered all the same', () => {
    expect(target(NOW - 1, size('1-a', 3, 5))).toBe(5);
    expect(target(NOW, size('1-a', 3, 2))).toBe(2);
  });
});
