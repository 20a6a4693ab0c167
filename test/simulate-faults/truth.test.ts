import { describe, expect, test } from 'vitest';
import type { Decision } from '../../core/model/decision.ts';
import type { Intent } from '../../core/model/intent.ts';
import { EMPTY_STATE } from '../../core/model/state.ts';
import { instanceId } from '../../core/model/values/names.ts';
import { type EpochMs, epochMs, minutes } from '../../core/model/values/time.ts';
import { sizeIntent } from '../scenario-builders.ts';
import { watchTold } from './invariants/replaced-at-once.ts';
import { LONGEST_PATIENCE_MS, placesOf, plannedSize, watchTrouble } from './truth.ts';

const NOW = epochMs(minutes(100));
const NOTHING_KNOWN = { now: NOW, failedAt: () => epochMs(0), lastTrouble: new Map(), closed: new Set() };

describe('the size that a group is planned to have', () => {
  const plannedWith = (
    known: object,
    ...intents: readonly (readonly [from: number, to: number, ago: number])[]
  ): number =>
    plannedSize(
      { group: { name: 'a', minSize: 0, maxSize: 9 }, desired: 1 } as never,
      intents.map(([from, to, ago], i): Intent => ({
        ...sizeIntent('a', from, to, { id: `${i + 1}-a` }),
        createdAt: epochMs(NOW - minutes(ago)),
      })),
      { now: NOW, failedAt: () => epochMs(0), ...known } as never,
    );
  const plannedBy = (...intents: readonly (readonly [from: number, to: number, ago: number])[]): number =>
    plannedWith({}, ...intents);

  test('counts what has been decided and is not made yet, as long as it is waited for', () => {
    expect(plannedBy([1, 3, 5], [3, 4, 2])).toBe(4);
    expect(plannedBy([1, 3, 20])).toBe(1);
  });

  test('counts it where some function may wait for it still, if that is asked', () => {
    expect(plannedBy([1, 3, 14])).toBe(1);
    expect(plannedWith({ patienceMs: LONGEST_PATIENCE_MS }, [1, 3, 14])).toBe(3);
    expect(plannedWith({ patienceMs: LONGEST_PATIENCE_MS }, [1, 3, 17])).toBe(1);
  });

  test('counts an earlier increase as long as a later one', () => {
    expect(plannedBy([1, 3, 20], [3, 4, 8])).toBe(4);
    expect(plannedBy([1, 3, 30], [3, 4, 20])).toBe(1);
  });

  test('counts it no longer for a lower size', () => {
    expect(plannedBy([1, 3, 20], [3, 2, 8])).toBe(1);
  });

  test.each([
    { desired: 3, state: 'Running' },
    { desired: 2, state: 'Deleting' },
  ])('is without an instance that is to be ended once, of $desired while that is $state', ({ desired, state }) => {
    const intents = [
      { ...sizeIntent('a', 2, 3, { id: '2.1-a' }), createdAt: NOW },
      {
        ...sizeIntent('a', 0, 0, { id: '2-a' }),
        kind: 'DeleteInstances',
        instances: ['i-1'],
        force: false,
        createdAt: NOW,
      },
    ];
    const view = { group: { name: 'a', minSize: 0, maxSize: 9 }, desired, instances: [{ id: 'i-1', state }] };
    const twice = [...intents, { ...intents[1], id: '3-a' }];
    for (const decided of [intents, twice]) {
      expect(plannedSize(view as never, decided as never, { now: NOW, failedAt: () => epochMs(0) } as never)).toBe(3);
    }
  });
});

describe('the room of a group', () => {
  const placesWith = (
    group: { readonly minSize: number },
    launchedAgo: number,
    known: object,
    ...deletions: readonly { readonly force: boolean }[]
  ): number => {
    const view = {
      group: { name: 'a', maxSize: 9, allocatable: { cpu: 2150 }, ...group },
      desired: 1,
      error: null,
      instances: [{ id: 'i-1', state: 'Running', node: null, launchedAt: NOW - minutes(launchedAgo) }],
    };
    const intents = deletions.map(({ force }, i) => ({
      ...sizeIntent('a', 0, 0, { id: `${i + 1}-a` }),
      kind: 'DeleteInstances',
      instances: ['i-1'],
      force,
      createdAt: NOW,
    }));
    const world = { api: { nodes: new Map() }, scaling: { groups: () => [view] }, provider: 'aws' };
    return placesOf(
      world as never,
      { groups: ['a'], units: 4 } as never,
      [],
      intents as never,
      { ...NOTHING_KNOWN, ...known } as never,
    ).length;
  };

  test.each([
    { what: 'above the minimum', group: { minSize: 0 }, force: false, places: 0 },
    { what: 'at the minimum, where it is left alone', group: { minSize: 1 }, force: false, places: 0 },
    { what: 'at the minimum, where it is replaced', group: { minSize: 1 }, force: true, places: 1 },
  ])('has $places places when an instance that was given up is to be ended $what', ({ group, force, places }) => {
    expect(placesWith(group, 20, {}, { force })).toBe(places);
    expect(placesWith(group, 20, {}, { force }, { force })).toBe(places);
  });

  test('is without the first of the instances that are to be ended, as far as the minimum lets them go', () => {
    const starting = (id: string, minutesAgo: number): object => ({
      id,
      state: 'Running',
      node: null,
      launchedAt: NOW - minutes(minutesAgo),
    });
    const view = {
      group: { name: 'a', minSize: 1, maxSize: 9, allocatable: { cpu: 2150 } },
      desired: 2,
      error: null,
      instances: [starting('i-1', 5), starting('i-2', 20)],
    };
    const placesWithout = (...instances: readonly string[]): number => {
      const intent = { ...sizeIntent('a', 0, 0, { id: '1-a' }), kind: 'DeleteInstances', instances, force: false };
      return placesOf(
        { api: { nodes: new Map() }, scaling: { groups: () => [view] }, provider: 'aws' } as never,
        { groups: ['a'], units: 4 } as never,
        [],
        [intent] as never,
        NOTHING_KNOWN as never,
      ).length;
    };
    expect(placesWithout('i-2', 'i-1')).toBe(1);
    expect(placesWithout('i-1', 'i-2')).toBe(0);
  });

  test('has that of an instance for as long as it is waited for since functions have known of it', () => {
    const known = { patienceMs: LONGEST_PATIENCE_MS };
    expect(placesWith({ minSize: 0 }, 16, known)).toBe(1);
    expect(placesWith({ minSize: 0 }, 30, known)).toBe(0);
    expect(placesWith({ minSize: 0 }, 30, { ...known, knownSince: () => NOW - minutes(16) })).toBe(1);
    expect(placesWith({ minSize: 0 }, 30, { ...known, knownSince: () => NOW - minutes(17) })).toBe(0);
    expect(placesWith({ minSize: 0 }, 16, { ...known, knownSince: () => NOW - minutes(40) })).toBe(1);
  });
});

describe('the room on machines that have failed', () => {
  const placesOn = (machine: object, known: object = {}): number => {
    const view = {
      group: { name: 'a', minSize: 0, maxSize: 9, allocatable: { cpu: 2150 } },
      desired: 1,
      error: { code: 'InsufficientInstanceCapacity' },
      instances: [{ id: 'm-1', state: 'Creating', node: null, launchedAt: NOW - minutes(5), ...machine }],
    };
    return placesOf(
      { api: { nodes: new Map() }, scaling: { groups: () => [view] }, provider: 'clusterapi' } as never,
      { groups: ['a'], units: 4 } as never,
      [],
      [],
      { ...NOTHING_KNOWN, ...known } as never,
    ).length;
  };

  test.each([
    { what: 'one that has not failed', machine: { failed: false, isRetried: true }, counted: 1, generously: 1 },
    { what: 'one that is asked for again', machine: { failed: true, isRetried: true }, counted: 0, generously: 1 },
    { what: 'one that has failed for good', machine: { failed: true, isRetried: false }, counted: 0, generously: 0 },
  ])('$what', ({ machine, counted, generously }) => {
    expect(placesOn(machine)).toBe(counted);
    expect(placesOn(machine, { despiteErrors: true })).toBe(generously);
  });
});

describe('the room of what a MachineSet is to make when a machine has gone', () => {
  const placesBesideLeaving = (provider: string, known: object): number => {
    const view = {
      group: { name: 'a', minSize: 0, maxSize: 9, allocatable: { cpu: 2150 } },
      desired: 1,
      error: null,
      instances: [{ id: 'm-1', state: 'Deleting', node: null, launchedAt: NOW - minutes(5) }],
    };
    return placesOf(
      { api: { nodes: new Map() }, scaling: { groups: () => [view] }, provider } as never,
      { groups: ['a'], units: 4 } as never,
      [],
      [],
      { ...NOTHING_KNOWN, ...known } as never,
    ).length;
  };

  test('counts where it may take long, and at once on AWS', () => {
    expect(placesBesideLeaving('clusterapi', {})).toBe(0);
    expect(placesBesideLeaving('clusterapi', { afterOthers: true })).toBe(1);
    expect(placesBesideLeaving('aws', {})).toBe(1);
  });
});

describe('a group of which not all may be counted on', () => {
  const view = (...states: readonly string[]): never =>
    ({
      group: { name: 'a' },
      desired: 2,
      error: null,
      instances: states.map((state, i) => ({ id: `m-${i}`, state })),
    }) as never;
  const BOTH = view('Running', 'Running');

  test.each([
    {
      provider: 'clusterapi',
      what: 'when it loses one, and from when that has gone until another one is made',
      views: [
        [view('Running', 'Deleting'), true],
        [view('Running', 'Deleting'), false],
        [view('Running'), true],
        [view('Running'), true],
        [BOTH, false],
      ],
    },
    {
      provider: 'aws',
      what: 'when it loses one',
      views: [
        [view('Running'), true],
        [view('Running'), false],
      ],
    },
  ] as const)('on $provider: $what', (one) => {
    const isInTrouble = watchTrouble(one.provider);
    expect(isInTrouble(BOTH)).toBe(false);
    expect(one.views.map(([now]) => isInTrouble(now))).toEqual(one.views.map(([, is]) => is));
  });
});

describe('what evaluations are told of instances', () => {
  const groups = (...ids: readonly string[]): never =>
    ({ nodeGroups: [{ instances: ids.map((id) => ({ id })) }] }) as never;
  const decision = (evaluation: 'ScaleUp' | 'ScaleDown'): Pick<Decision, 'evaluation' | 'state'> => ({
    evaluation,
    state: { ...EMPTY_STATE },
  });
  const at = (minute: number): EpochMs => epochMs(minutes(minute));

  test('begins with the first evaluation that buys and is committed', () => {
    const told = watchTold();
    const [uncommitted, other, first, later] = [
      decision('ScaleUp'),
      decision('ScaleDown'),
      decision('ScaleUp'),
      decision('ScaleUp'),
    ];
    told.decided(groups('i-1'), uncommitted, at(1));
    told.decided(groups('i-1'), other, at(2));
    told.committed(other.state);
    expect(told.since(instanceId('i-1'))).toBeUndefined();
    told.decided(groups('i-1'), first, at(3));
    told.committed(first.state);
    told.decided(groups('i-1', 'i-2'), later, at(4));
    told.committed(later.state);
    expect(told.since(instanceId('i-1'))).toBe(at(3));
    expect(told.since(instanceId('i-2'))).toBe(at(4));
  });

  test('begins anew when they have been told that an instance is gone', () => {
    const told = watchTold();
    for (const [minute, shown] of [['i-1'], [], ['i-1']].entries()) {
      const one = decision('ScaleUp');
      told.decided(groups(...shown), one, at(minute));
      told.committed(one.state);
    }
    expect(told.since(instanceId('i-1'))).toBe(at(2));
  });
});
