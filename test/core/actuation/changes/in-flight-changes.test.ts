import { describe, expect, it } from 'vitest';
import type { DrainNotice, DrainPhase, StoredDrain } from '../../../../core/model/drain.ts';
import { groupName, type InstanceId, instanceId, nodeName } from '../../../../core/model/values/names.ts';
import { type Instance, type LaunchFailure, launchFailureId } from '../../../../core/model/node-group.ts';
import type { Intent, IntentStatus, SetSizeIntent } from '../../../../core/model/intent.ts';
import { withInFlightChanges } from '../../../../core/actuation/changes/in-flight-changes.ts';
import { EMPTY_STATE } from '../../../../core/model/state.ts';
import { addTime, type EpochMs, epochMs, minutes, seconds } from '../../../../core/model/values/time.ts';
import { drainOf } from '../../../providers/drain-store.contract.ts';
import { backoffSince, group, NOW, running } from '../../../scenario-builders.ts';

const common = { createdAt: NOW, attempts: 0, claimedUntil: null, outcome: null } as const;
const size = (id: string, from: number, to: number, status: IntentStatus = 'pending', of = 'a'): SetSizeIntent => ({
  ...common,
  id,
  kind: 'SetSize',
  group: groupName(of),
  from,
  to,
  drained: [],
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

describe('an instance that is to be ended and has become a node meanwhile', () => {
  const members = [running('i-1', 'node-1'), running('i-2', 'node-2')];
  const seen = (status: IntentStatus, registered: readonly string[]) =>
    withInFlightChanges(
      group('a', { target: 2, instances: members }),
      {
        intents: [{ ...end('1-a', ['i-1']), status, claimedUntil: addTime(NOW, minutes(1)) }],
        state: EMPTY_STATE,
        drains: [],
      },
      NOW,
      new Map(registered.map((name) => [nodeName(name), `uid-${name}`])),
    );

  it('stays', () => {
    const { targetSize, instances } = seen('pending', ['node-1', 'node-2']);
    expect([targetSize, instances]).toEqual([2, members]);
  });

  it.each([
    { name: 'its node is not there', status: 'pending' as const, registered: ['node-2'] },
    { name: 'it has been ended', status: 'done' as const, registered: ['node-1', 'node-2'] },
  ])('does not stay when $name', ({ status, registered }) => {
    expect(seen(status, registered).targetSize).toBe(1);
  });
});

describe('a group with changes under way', () => {
  it.each([
    ['none', [], 3, []],
    ['growth', [size('1-a', 3, 5)], 5, []],
    ['growth that is set already', [size('1-a', 1, 3)], 3, []],
    ['a smaller size', [size('1-a', 3, 2)], 2, []],
    ['sizes one after the other', [size('10-a', 5, 9), size('9-a', 3, 5)], 9, []],
    ['growth from another size, which will be refused', [size('1-a', 2, 9)], 3, []],
    ['what has ended', [size('1-a', 3, 5, 'refused')], 3, []],
    ['another group’s', [size('1-b', 3, 5, 'pending', 'b')], 3, []],
    ['instances to end', [end('1-a', ['i-1', 'i-2'])], 1, ['i-1', 'i-2']],
    ['instances that are gone', [end('1-a', ['i-1', 'i-9'])], 2, ['i-1']],
    ['instances down to the minimum', [end('1-a', ['i-1', 'i-2', 'i-3'])], 1, ['i-1', 'i-2']],
    ['instances that are replaced at the minimum', [end('1-a', ['i-1', 'i-2', 'i-3'], true)], 1, ['i-1', 'i-2', 'i-3']],
    ['all that one decision asked for', [size('1.1-a', 2, 6), end('1-a', ['i-1'])], 6, ['i-1']],
  ])('%s', (_, intents, target, ending) => {
    const given = group('a', { min: 1, target: 3, instances: ['i-1', 'i-2', 'i-3'].map((id) => running(id, null)) });
    const then = withInFlightChanges(given, { intents, state: EMPTY_STATE, drains: [] }, NOW);
    expect(then.targetSize).toBe(target);
    expect(then.instances.filter(({ state }) => state === 'Deleting').map(({ id }) => id)).toEqual(ending);
  });
});

describe('what a target counts until pending changes are made', () => {
  const done = (intent: Intent): Intent => ({ ...intent, status: 'done', claimedUntil: addTime(NOW, seconds(30)) });

  it.each([
    { name: 'a smaller size', intents: [size('1-a', 3, 1)], pendingDecrease: 2 },
    { name: 'a smaller size after a larger one', intents: [size('1-a', 3, 4), size('2-a', 4, 2)], pendingDecrease: 2 },
    { name: 'instances that are to be ended', intents: [end('1-a', ['i-1', 'i-2'])], pendingDecrease: 2 },
    { name: 'but none that are replaced', intents: [end('1-a', ['i-1', 'i-2', 'i-3'], true)], pendingDecrease: 2 },
    { name: 'but not a larger size', intents: [size('1-a', 3, 5)], pendingDecrease: undefined },
    { name: 'but not one that will be refused', intents: [size('1-a', 2, 1)], pendingDecrease: undefined },
    { name: 'but not one that has just been set', intents: [done(size('1-a', 3, 1))], pendingDecrease: undefined },
    { name: 'but no instances just ended', intents: [done(end('1-a', ['i-1']))], pendingDecrease: undefined },
  ])('$name', ({ intents, pendingDecrease }) => {
    const given = group('a', { min: 1, target: 3, instances: ['i-1', 'i-2', 'i-3'].map((id) => running(id, null)) });
    expect(withInFlightChanges(given, { intents, state: EMPTY_STATE, drains: [] }, NOW).pendingDecrease).toBe(
      pendingDecrease,
    );
  });

  it.each([
    { name: 'a larger size', intents: [size('1-a', 3, 5)], nodes: 2 },
    { name: 'several, one after the other', intents: [size('1-a', 3, 5), size('2-a', 5, 6)], nodes: 3 },
    { name: 'but not what is lowered again', intents: [size('1-a', 3, 5), size('2-a', 5, 4)], nodes: 1 },
    { name: 'but not a smaller size', intents: [size('1-a', 3, 1)], nodes: undefined },
    { name: 'but not one that will be refused', intents: [size('1-a', 2, 5)], nodes: undefined },
    { name: 'but not one that has just been set', intents: [done(size('1-a', 3, 5))], nodes: undefined },
  ])('what is added: $name', ({ intents, nodes }) => {
    const given = group('a', { min: 1, target: 3, instances: ['i-1', 'i-2', 'i-3'].map((id) => running(id, null)) });
    const { pendingIncrease } = withInFlightChanges(given, { intents, state: EMPTY_STATE, drains: [] }, NOW);
    expect(pendingIncrease).toEqual(nodes === undefined ? undefined : { nodes, since: intents.at(-1)!.createdAt });
  });
});

describe('failed launches', () => {
  const missing = (n: number): LaunchFailure => ({
    id: launchFailureId(groupName('a'), n),
    zone: null,
    class: 'OutOfResources',
    code: 'InsufficientInstanceCapacity',
    message: 'none left',
  });

  it.each([
    { name: 'all of them', intents: [size('1-a', 3, 1)], left: [] },
    { name: 'the last of them', intents: [size('1-a', 3, 2)], left: [0] },
    { name: 'none by growth', intents: [size('1-a', 3, 5)], left: [0, 1] },
    { name: 'as many as after growth', intents: [size('1-a', 3, 4), size('2-a', 4, 2)], left: [] },
    { name: 'none by a size that will be refused', intents: [size('1-a', 2, 1)], left: [0, 1] },
  ])('are dropped with a smaller size, and not a second time: $name', ({ intents, left }) => {
    const given = group('a', {
      target: 3,
      instances: [running('i-1', null)],
      launchFailures: [missing(0), missing(1)],
    });
    const then = withInFlightChanges(given, { intents, state: EMPTY_STATE, drains: [] }, NOW);
    expect(then.launchFailures).toEqual(left.map(missing));
    expect(then.instances).toEqual(given.instances);
  });
});

describe('a group that is shown as it was before a change', () => {
  const justDone = (intent: Intent): Intent => ({ ...intent, status: 'done', claimedUntil: addTime(NOW, seconds(30)) });
  const given = group('a', { min: 1, target: 3, instances: ['i-1', 'i-2', 'i-3'].map((id) => running(id, null)) });
  const seenAt = (length: number, ...intents: Intent[]) =>
    withInFlightChanges(given, { intents, state: EMPTY_STATE, drains: [] }, addTime(NOW, seconds(length)));

  it('has what was done under a claim that still lasts', () => {
    expect(seenAt(0, justDone(size('1-a', 3, 5))).targetSize).toBe(5);
    expect(seenAt(0, justDone(size('1-a', 1, 2)), justDone(size('2-a', 2, 3))).targetSize).toBe(3);
    expect(seenAt(0, justDone(end('1-a', ['i-1'])), size('2-a', 2, 6)).targetSize).toBe(6);
  });

  it('is believed once the claim is over', () => {
    expect(seenAt(30, justDone(size('1-a', 3, 5))).targetSize).toBe(3);
  });
});

describe('a group that has failed', () => {
  const failedAt = (time: number) => ({
    ...EMPTY_STATE,
    backoff: {
      [groupName('a')]: backoffSince(epochMs(time), { until: addTime(NOW, minutes(5)), class: 'OutOfResources' }),
    },
  });
  const target = (time: number, ...intents: Intent[]) =>
    withInFlightChanges(group('a', { target: 3 }), { intents, state: failedAt(time), drains: [] }, NOW).targetSize;

  it('will not have what was decided before: its pods are planned again', () => {
    expect(target(NOW, size('1-a', 3, 5))).toBe(3);
    expect(target(NOW + 1, size('1-a', 3, 5))).toBe(3);
  });

  it('will have what was decided since, and is lowered all the same', () => {
    expect(target(NOW - 1, size('1-a', 3, 5))).toBe(5);
    expect(target(NOW, size('1-a', 3, 2))).toBe(2);
  });
});

/** Change of a group: its size is set to this many instances more (or fewer, which never came), or one is drained. */
type Event = number | 'drain';

/** The cloud's list after some events, and what is stored once all have happened. */
function history(events: readonly Event[], shownAfter: number) {
  const members = ['i-0', 'i-1', 'i-2'].map(instanceId);
  let target = 3;
  let shown = { target, members: [...members] };
  const drained: InstanceId[] = [];
  const intents = events.flatMap((event, i): Intent[] => {
    const from = target;
    const set: Intent[] = [];
    if (event === 'drain') {
      drained.push(members.shift()!);
      target -= 1;
    } else {
      target += event;
      members.push(...Array.from({ length: Math.max(0, event) }, (_, n) => instanceId(`i-new-${i}-${n}`)));
      const before = { ...size(`${i + 1}-a`, from, target, 'done'), drained: drained.toSorted() };
      set.push({ ...before, claimedUntil: addTime(NOW, seconds(30)) });
    }
    if (i + 1 === shownAfter) {
      shown = { target, members: [...members] };
    }
    return set;
  });
  return { target, shown, drained, intents };
}

/** Every sequence of this many events. */
const sequences = (length: number): readonly (readonly Event[])[] =>
  length === 0
    ? [[]]
    : sequences(length - 1).flatMap((some) => ([1, 2, -1, 'drain'] as const).map((event) => [...some, event]));

describe('a group that has been resized and drained, in any order', () => {
  const possible = [1, 2, 3, 4]
    .flatMap(sequences)
    // A size is lowered by what never came, and three instances are there to be drained.
    .filter((events) => events.filter((event) => event === 'drain').length <= 3)
    .filter((events) => !events.some((event, i) => event === -1 && typeof events[i - 1] !== 'number'));
  const cases = possible.flatMap((events) => Array.from({ length: events.length + 1 }, (_, n) => ({ events, n })));

  const deleting = (ids: readonly InstanceId[]): readonly Instance[] =>
    ids.map((id) => ({ ...running(id, null), state: 'Deleting' }));

  it.each<[shows: string, phase: DrainPhase, listed: (ids: readonly InstanceId[]) => readonly Instance[]]>([
    ['no more', 'Removed', () => []],
    ['on their way out', 'AwaitingTermination', deleting],
    ['on their way out, before drains know that, as the last decision did', 'Terminating', deleting],
  ])('has the true size, however old the list is that shows ended instances %s', (_, phase, listed) => {
    const asked = phase === 'Terminating' ? NOW : null;
    const known = cases.filter(({ events }) => asked === null || events.at(-1) !== 'drain');
    const wrong = known.flatMap(({ events, n }) => {
      const { target, shown, drained, intents } = history(events, n);
      const gone = drained.filter((id) => !shown.members.includes(id));
      const given = group('a', {
        target: shown.target,
        instances: [...shown.members.map((id) => running(id, null)), ...listed(gone)],
      });
      const drains = drained.map((instance) => drain(instance, phase, asked));
      const seen = withInFlightChanges(given, { intents, state: EMPTY_STATE, drains }, NOW).targetSize;
      return seen === target ? [] : [`${events.join()} listed after ${n}: ${seen} instead of ${target}`];
    });
    expect(known.length).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  });

  it('is not shown an instance more while the cloud’s answer to a drain is awaited, but the list shows it', () => {
    const given = group('a', { target: 2, instances: ['i-1', 'i-new-1'].map((id) => running(id, null)) });
    const intent = { ...size('1-a', 2, 3, 'done'), claimedUntil: addTime(NOW, seconds(30)) };
    const drains = [drain(instanceId('i-0'), 'Terminating', NOW)];
    expect(withInFlightChanges(given, { intents: [intent], state: EMPTY_STATE, drains }, NOW).targetSize).toBe(2);
    const answered = [drain(instanceId('i-0'), 'RolledBack', NOW)];
    expect(
      withInFlightChanges(given, { intents: [intent], state: EMPTY_STATE, drains: answered }, NOW).targetSize,
    ).toBe(3);
  });

  it('lacks an instance that is shown, whose end had been seen when a size was decided', () => {
    const given = group('a', { target: 3, instances: ['i-0', 'i-1', 'i-2'].map((id) => running(id, null)) });
    const asked = drain(instanceId('i-0'), 'Terminating', NOW);
    const seen = (
      one: StoredDrain,
      intent: SetSizeIntent = { ...size('1-a', 2, 4), drained: [instanceId('i-0')] },
    ): readonly unknown[] => {
      const { targetSize, instances } = withInFlightChanges(
        given,
        { intents: [intent], state: EMPTY_STATE, drains: [one] },
        NOW,
      );
      return [targetSize, heldIds(instances)];
    };
    expect(seen(asked)).toEqual([4, ['i-1', 'i-2']]);
    expect(seen(asked, size('1-a', 3, 4))).toEqual([4, ['i-0', 'i-1', 'i-2']]);
    // It was in Standby then, say, and is freed again.
    expect(seen(drain(instanceId('i-0'), 'RollingBack', NOW))).toEqual([3, ['i-0', 'i-1', 'i-2']]);
    expect(seen(drain(instanceId('i-0'), 'Terminating'))).toEqual([3, ['i-0', 'i-1', 'i-2']]);
    // The group replaces what the cloud ends by itself.
    const notice: DrainNotice = { kind: 'SpotInterruption', deadline: NOW, hook: null };
    expect(seen({ ...asked, drain: { ...asked.drain, notice } })).toEqual([3, ['i-0', 'i-1', 'i-2']]);
  });

  it('is not shown an instance more where a broken one was ended after the size was set', () => {
    const until = { status: 'done' as const, claimedUntil: addTime(NOW, seconds(30)) };
    const intents = [
      { ...size('1-a', 2, 3), ...until },
      { ...end('2-a', ['i-1']), ...until },
    ];
    const seen = (target: number, ...ids: readonly string[]) => {
      const given = group('a', { target, instances: ids.map((id) => running(id, null)) });
      return withInFlightChanges(given, { intents, state: EMPTY_STATE, drains: [] }, NOW).targetSize;
    };
    expect(seen(2, 'i-1', 'i-2')).toBe(2);
    expect(seen(3, 'i-1', 'i-2', 'i-3')).toBe(2);
    expect(seen(2, 'i-2', 'i-3')).toBe(2);
  });

  it('keeps its minimum where instances above it were drained before the list', () => {
    const { intents, drained } = history([2, 'drain'], 2);
    const given = group('a', { min: 3, target: 3, instances: ['i-0', 'i-1', 'i-2'].map((id) => running(id, null)) });
    const drains = drained.map((instance) => drain(instance, 'Removed'));
    expect(withInFlightChanges(given, { intents, state: EMPTY_STATE, drains }, NOW).targetSize).toBe(4);
    const other = [end('1-a', ['i-gone'])];
    expect(withInFlightChanges(given, { intents: other, state: EMPTY_STATE, drains }, NOW).targetSize).toBe(3);
  });

  it.each([
    { name: 'has come back from its warm pool', reuse: true, target: 2, members: ['i-0', 'i-1'] },
    { name: 'has no warm pool to come back from', reuse: false, target: 1, members: ['i-1'] },
  ])('counts an instance that a drain has ended, where it $name: $target', ({ reuse, target, members }) => {
    const given = group('a', {
      target: 2,
      warmPool: { reuse },
      instances: ['i-0', 'i-1'].map((id) => running(id, `node-of-${id}`)),
    });
    const drains = [drain(instanceId('i-0'), 'Removed')];
    const { targetSize, instances } = withInFlightChanges(given, { intents: [], state: EMPTY_STATE, drains }, NOW);
    expect([targetSize, heldIds(instances)]).toEqual([target, members]);
  });
});

const heldIds = (instances: readonly Instance[]): readonly InstanceId[] =>
  instances.flatMap(({ id, state }) => (state === 'Deleting' ? [] : [id]));

const drain = (instance: InstanceId, phase: DrainPhase, terminateAskedAt: EpochMs | null = null): StoredDrain => ({
  drain: drainOf(`node-of-${instance}`, { instance, phase, terminateAskedAt }),
  revision: 1,
  attempt: 1,
  drivenUntil: NOW,
});
