import { describe, expect, it } from 'vitest';
import { type Drain, drainId, type StoredDrain } from '../../../../core/model/drain.ts';
import { groupName, nodeName } from '../../../../core/model/values/names.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import { keyOf } from '../../../../core/model/cluster/pod.ts';
import type { RemoveNodesIntent } from '../../../../core/model/intent.ts';
import { EMPTY_STATE, type State } from '../../../../core/model/state.ts';
import { addTime, type EpochMs, epochMs, minutes } from '../../../../core/model/values/time.ts';
import { forgettable, settleDrains } from '../../../../core/actuation/changes/drains.ts';
import { endedNodes } from '../../../../core/registry/ended-nodes.ts';
import { node, pod } from '../../../builders.ts';
import { drainOf } from '../../../providers/drain-store.contract.ts';
import { NOW } from '../../../scenario-builders.ts';

const OPTIONS = defaultOptions();
const A = groupName('a');
const N1 = nodeName('n1');

const before = (ms: number): EpochMs => epochMs(NOW - ms);
const stored = (drain: Drain): StoredDrain => ({ drain, revision: 3, attempt: 1, drivenUntil: NOW });
const removedAt = (at: EpochMs, node = 'n1'): Drain =>
  drainOf(node, { phase: 'Removed', phaseSince: at, outcome: { kind: 'removed', at } });
const rolledBack = (failure: 'FailedToEvictPods' | 'Gone', at: EpochMs): Drain =>
  drainOf('n1', {
    phase: 'RolledBack',
    phaseSince: at,
    outcome: { kind: 'rolledBack', at, failure, blocker: null, message: 'no', pod: null },
  });
const deletion = (node: string) => ({ node: nodeName(node), group: A, kind: 'drain' as const, since: NOW });
const request = (node: string) => ({
  group: A,
  node: nodeName(node),
  time: NOW,
  expectedDeleteTime: addTime(NOW, minutes(5)),
});
const intent = (status: RemoveNodesIntent['status']): RemoveNodesIntent => ({
  id: '7-a',
  kind: 'RemoveNodes',
  group: A,
  nodes: [{ node: N1, uid: 'u', instance: drainOf('n1').instance, kind: 'drain' }],
  createdAt: NOW,
  status,
  attempts: 0,
  claimedUntil: null,
  outcome: null,
});

const settled = (state: Partial<State>, drains: readonly Drain[], intents: readonly RemoveNodesIntent[] = []): State =>
  settleDrains({ ...EMPTY_STATE, ...state }, { drains: drains.map(stored), intents }, OPTIONS, NOW);

describe('a deletion in progress', () => {
  it.each<[name: string, drains: Drain[], intents: RemoveNodesIntent[], stays: boolean]>([
    ['stays while its drain goes on', [drainOf('n1')], [], true],
    ['stays while its drain is to be started', [], [intent('pending')], true],
    [
      'ends as its drain begins to roll back, however long that takes',
      [drainOf('n1', { phase: 'RollingBack' })],
      [],
      false,
    ],
    ['ends with the instance', [removedAt(NOW)], [intent('done')], false],
    ['ends with the instance, though its intent is not done yet', [removedAt(NOW)], [intent('pending')], false],
    [
      'ends as its drain begins to roll back, though its intent is not done yet',
      [drainOf('n1', { phase: 'RollingBack' })],
      [intent('pending')],
      false,
    ],
    [
      'stays while another drain of it is to be started',
      [{ ...removedAt(NOW), id: drainId('6-a', N1) }],
      [intent('pending')],
      true,
    ],
    ['ends when the node stays', [rolledBack('FailedToEvictPods', NOW)], [], false],
    ['ends when it was refused', [], [intent('refused')], false],
    ['ends when neither a drain nor an intent has it', [], [], false],
  ])('%s', (_, drains, intents, stays) => {
    const state = settled({ deletionsInProgress: [deletion('n1')] }, drains, intents);
    expect(state.deletionsInProgress).toEqual(stays ? [deletion('n1')] : []);
  });

  it('has the request for its end as long as its drain is to be started', () => {
    const state = { deletionsInProgress: [deletion('n1')], scaleDownRequests: [request('n1')] };
    expect(settled(state, [], [intent('pending')]).scaleDownRequests).toEqual([request('n1')]);
    expect(settled(state, [], [intent('refused')]).scaleDownRequests).toEqual([]);
  });

  it('is found again where the state has lost it', () => {
    expect(settled({}, [drainOf('n2'), drainOf('n1')]).deletionsInProgress).toEqual([deletion('n1'), deletion('n2')]);
  });

  it.each<{ name: string; drains?: Drain[]; removal: RemoveNodesIntent; found: boolean }>([
    { name: 'is found where its drain is to be started', removal: intent('pending'), found: true },
    {
      name: 'is not where the removal is too old for that',
      removal: { ...intent('pending'), createdAt: before(minutes(3) + 1) },
      found: false,
    },
    { name: 'is not where the removal was refused', removal: intent('refused'), found: false },
    {
      name: 'is not where the drain has begun and was given up',
      drains: [{ ...rolledBack('FailedToEvictPods', NOW), id: drainId('7-a', N1) }],
      removal: intent('pending'),
      found: false,
    },
  ])('that the state has lost $name', ({ drains = [], removal, found }) => {
    expect(settled({}, drains, [removal]).deletionsInProgress).toEqual(found ? [deletion('n1')] : []);
  });
});

describe('an instance that was terminated', () => {
  it('begins the cool-down after a deletion, in the group and in total', () => {
    const at = before(minutes(1));
    const state = settled({ lastScaleDownDelete: before(minutes(9)) }, [removedAt(at)]);
    expect(state.lastScaleDownDelete).toBe(at);
    expect(state.groups[A]).toEqual({ lastScaleUp: null, lastScaleDownDelete: at, lastScaleDownFailure: null });
    expect(state.lastScaleDownFailure).toBeNull();
  });

  it.each([
    { what: 'while it is being drained', drains: [drainOf('n1')], intents: [] },
    { what: 'before its drain is started', drains: [], intents: [intent('pending')] },
  ])('begins the cool-down $what, and again at its end', ({ drains, intents }) => {
    const state = settled({ lastScaleDownDelete: before(minutes(9)) }, drains, intents);
    expect([state.lastScaleDownDelete, state.groups[A]?.lastScaleDownDelete]).toEqual([NOW, NOW]);
  });

  it('does not set a later time back', () => {
    expect(settled({ lastScaleDownDelete: NOW }, [removedAt(before(minutes(3)))]).lastScaleDownDelete).toBe(NOW);
  });

  it('is expected to be gone five minutes later, and not for longer', () => {
    const at = before(minutes(1));
    const ended = { group: A, node: N1, time: removedAt(at).createdAt, expectedDeleteTime: addTime(at, minutes(5)) };
    expect(settled({ scaleDownRequests: [request('n1')] }, [removedAt(at)]).scaleDownRequests).toEqual([ended]);
    expect(settled({ scaleDownRequests: [ended] }, [removedAt(before(minutes(6)))]).scaleDownRequests).toEqual([]);
  });

  it('is listed by its node, whatever its group, as a store lists it', () => {
    const at = before(minutes(1));
    const ended = [{ ...removedAt(at, 'n1'), group: groupName('b') }, removedAt(at, 'n2')];
    expect(settled({}, ended).scaleDownRequests.map(({ node }) => node)).toEqual(['n1', 'n2']);
  });

  it.each([
    { what: 'was there before its drain began', created: minutes(9), isEnded: true },
    { what: 'came before its end was seen, under the name of the one before it', created: minutes(3), isEnded: false },
  ])('a Node that $what ends with it: $isEnded', ({ created, isEnded }) => {
    const drain = { ...removedAt(before(minutes(1))), createdAt: before(minutes(5)) };
    const there = [node('n1', {}, { createdAt: before(created) })];
    expect([...endedNodes({ nodes: there }, settled({}, [drain]))]).toEqual(isEnded ? ['n1'] : []);
  });
});

describe('a node that stays', () => {
  it('begins the cool-down after a failure, and is not tried again for a while', () => {
    const at = before(minutes(1));
    const state = settled({ scaleDownRequests: [request('n1')] }, [rolledBack('FailedToEvictPods', at)]);
    expect(state.lastScaleDownFailure).toBe(at);
    expect(state.groups[A]!.lastScaleDownFailure).toBe(at);
    expect(state.unremovableUntil).toEqual({ n1: addTime(at, OPTIONS.unremovableNodeRecheckTimeout) });
    expect(state.scaleDownRequests).toEqual([]);
  });

  it('is not held against the group when it went by itself', () => {
    expect(settled({}, [rolledBack('Gone', NOW)]).lastScaleDownFailure).toBeNull();
  });

  it('is remembered for no longer than it is left alone', () => {
    const long = before(OPTIONS.unremovableNodeRecheckTimeout + 1);
    expect(settled({}, [rolledBack('FailedToEvictPods', long)]).unremovableUntil).toEqual({});
    const other = { [nodeName('n2')]: addTime(NOW, minutes(3)) };
    expect(settled({ unremovableUntil: other }, [rolledBack('FailedToEvictPods', long)]).unremovableUntil).toEqual(
      other,
    );
  });
});

describe('evicted pods', () => {
  const evicted = (name: string, evictedAt: EpochMs | null) => {
    const manifest = pod(name, { owner: 'ReplicaSet/web' });
    return {
      pod: keyOf(manifest),
      uid: manifest.uid,
      manifest,
      graceSeconds: 30,
      firstTriedAt: NOW,
      giveUpAt: NOW,
      evictedAt,
      goneAt: null,
      tries: 1,
      throttles: 0,
      nextTryAt: NOW,
      refusal: null,
    };
  };

  it('are remembered from drains that go on and that have ended, for ten minutes', () => {
    const state = settled({ recentEvictions: [pod('of-a-drain-long-gone')] }, [
      drainOf('n1', { evictions: [evicted('b', before(minutes(1))), evicted('refused', null)] }),
      { ...removedAt(NOW, 'n2'), evictions: [evicted('a', before(minutes(10))), evicted('old', before(minutes(11)))] },
    ]);
    expect(state.recentEvictions.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

it('gives the same when it is done again', () => {
  const drains = [
    removedAt(before(minutes(1))),
    { ...rolledBack('FailedToEvictPods', NOW), node: nodeName('n3') },
    drainOf('n2'),
  ];
  const once = settled({ deletionsInProgress: [deletion('n1')], scaleDownRequests: [request('n1')] }, drains);
  expect(settled(once, drains)).toEqual(once);
});

it('leaves a state without removals as it is', () => {
  expect(settled({}, [])).toEqual(EMPTY_STATE);
});

it('forgets drains when their pods are no longer awaited, and none that goes on', () => {
  const old = before(minutes(11));
  const drains = [removedAt(old), removedAt(NOW, 'n2'), drainOf('n3', { phaseSince: old })].map(stored);
  expect(forgettable(drains, NOW)).toEqual([drains[0]!.drain.id]);
});
