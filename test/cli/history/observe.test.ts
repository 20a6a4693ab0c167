import { describe, expect, it, test } from 'vitest';
import { observePeriod } from '../../../cli/history/observe.ts';
import type { Notice } from '../../../core/model/notice.ts';
import { instanceId } from '../../../core/model/values/names.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { group, noticeOf } from '../../scenario-builders.ts';
import type { HistoryObservation } from '../../../cli/history/observed.ts';
import { inMinutes, minute, type Ordered, periodOf, removal, seenAt } from './minutes.ts';

const web = (name: string, on: string, more: Parameters<typeof pod>[1] = {}) =>
  pod(name, { node: on, owner: 'ReplicaSet/web', createdAt: minute(-30), ...more });

describe('the end of a pod', () => {
  const before = seenAt(0, { nodes: [node('n1')], pods: [web('a', 'n1')] });
  const endOf = async (...later: readonly HistoryObservation[]) =>
    inMinutes((await periodOf(before, ...later)).pods[0]!.end);

  it('is not known while it is there', async () => {
    expect(await endOf(seenAt(10, { pods: [web('a', 'n1')] }))).toBeNull();
  });

  it('is the middle between the scenarios with it and without it', async () => {
    expect(await endOf(seenAt(10, { nodes: [node('n1')] }))).toBe(5);
  });

  it.each([
    { when: 'finished', left: web('a', 'n1', { phase: 'Succeeded' }), end: 5 },
    { when: 'being deleted', left: web('a', 'n1', { deletedAt: minute(9) }), end: 9 },
    { when: 'another of its name', left: web('a', 'n1', { uid: 'other', createdAt: minute(4) }), end: 5 },
  ])('of a pod that is $when is minute $end', async ({ left, end }) => {
    expect(await endOf(seenAt(10, { nodes: [node('n1')], pods: [left] }))).toBe(end);
  });

  it('is when its node was found unneeded', async () => {
    const state = { unneededSince: { n1: minute(2) } };
    expect(await endOf(seenAt(10, { nodes: [node('n1')], state }))).toBe(2);
    expect(await endOf(seenAt(10, { nodes: [node('n1')] }, { unneeded: ['n1'] }))).toBe(10);
  });

  it('is that of another pod of its controller, where that is known', async () => {
    const pods = [web('a', 'n1'), web('b', 'n2'), pod('other', { node: 'n2', owner: 'ReplicaSet/other' })];
    const state = { unneededSince: { n1: minute(2) } };
    const period = await periodOf(seenAt(0, { pods }), seenAt(10, { nodes: [node('n1')], state }));
    expect(period.pods.map(({ end }) => inMinutes(end))).toEqual([2, 2, 5]);
  });

  it('is that of its eviction', async () => {
    const moved = seenAt(8, { nodes: [node('n1')], pods: [web('a', 'n1')] }, { removals: [removal('n1', 'web', 'a')] });
    const { pods } = await periodOf(before, moved, seenAt(20, {}));
    expect(pods.map(({ end, evictedAt }) => [inMinutes(end), inMinutes(evictedAt)])).toEqual([[8, 8]]);
  });

  it('is no eviction long after one was decided', async () => {
    const pods = [web('a', 'n1')];
    const kept = seenAt(8, { pods }, { removals: [removal('n1', 'web', 'a')] });
    const period = await periodOf(before, kept, seenAt(60, { pods }), seenAt(70, {}));
    expect(period.pods.map(({ end, evictedAt }) => [inMinutes(end), evictedAt])).toEqual([[65, null]]);
  });

  it('of a pod that was never seen on a node is when the nodes launched since then were unneeded', async () => {
    const pending = seenAt(10, { pods: [pod('a', { createdAt: minute(9), owner: 'Job/a' })] });
    const nodes = [node('old', {}, { createdAt: minute(1) }), node('new', {}, { createdAt: minute(11) })];
    const state = { unneededSince: { old: minute(12), new: minute(30) } };
    const { pods } = await periodOf(seenAt(0, {}), pending, seenAt(40, { nodes, state }));
    expect(pods.map(({ end }) => inMinutes(end))).toEqual([30]);
  });
});

describe('the end of a node', () => {
  const provider = { providerId: 'aws:///us-east-1a/i-1' };
  const at = (minuteOf: number, target: number, nodes: readonly string[], more: Ordered = {}) =>
    seenAt(
      minuteOf,
      { groups: [group('web', { nodes, target })], nodes: nodes.map((name) => node(name, {}, provider)) },
      more,
    );
  const ended = async (...observations: readonly HistoryObservation[]) =>
    (await periodOf(...observations)).nodes.map(({ end, ending }) => [inMinutes(end), ending]);

  it('that a decision removed is soon after it', async () => {
    const decided = { removals: [removal('n1', 'web')] };
    expect(await ended(at(0, 1, ['n1'], decided), at(10, 0, []))).toEqual([[1, 'removed']]);
  });

  it('is the middle between two scenarios where its group became smaller', async () => {
    expect(await ended(at(0, 1, ['n1']), at(10, 0, []))).toEqual([[5, 'removed']]);
  });

  it('that nobody removed is unknown: its group launches another one', async () => {
    expect(await ended(at(0, 1, ['n1']), at(10, 1, []))).toEqual([[5, 'unknown']]);
  });

  it('that the cloud announced has its time', async () => {
    const notice: Notice = noticeOf('i-1', 'web', { receivedAt: minute(3), endsAt: null });
    const gone = { groups: [group('web', { target: 1 })], notices: [notice] };
    expect(await ended(at(0, 1, ['n1']), seenAt(10, gone))).toEqual([[5, 'announced']]);
  });
});

test('launches fail from the first scenario with a failure to the first one without', async () => {
  const failure = {
    id: instanceId('i-placeholder-web-0'),
    class: 'Other' as const,
    code: 'x',
    message: '',
    zone: null,
  };
  const failing = [group('web', { nodes: ['n1'], target: 2, launchFailures: [failure] })];
  const { available } = await periodOf(
    seenAt(0, { groups: [group('web', { nodes: ['n1'] })] }),
    seenAt(5, { groups: failing }),
    seenAt(7, { groups: failing }),
    seenAt(9, { groups: [group('web', { nodes: ['n1'] })] }),
  );
  expect(available.map(({ at, available: left }) => [inMinutes(at), left])).toEqual([
    [5, 1],
    [9, Infinity],
  ]);
});

test('a period has the times of its scenarios, the longest time between two, and changes of the options', async () => {
  const options = { scaleDownUnneededTime: minutes(2) };
  const without = { ...seenAt(20, {}), scenario: null };
  const period = await periodOf(seenAt(0, {}), seenAt(5, { options }), without, seenAt(35, { options }));
  expect(period).toMatchObject({ scenarios: 3, withoutScenario: 1, longestGap: minutes(30), optionChanges: 1 });
  expect([period.since, period.until].map(inMinutes)).toEqual([0, 35]);
});

test('one time is no period', async () => {
  expect(await observePeriod([seenAt(0, {}), seenAt(0, {})])).toBeNull();
  expect(await observePeriod([])).toBeNull();
});

test('the order of the lists of a scenario does not matter', async () => {
  const names = ['n1', 'n2'];
  const lists = {
    groups: names.map((name) => group(`of-${name}`, { nodes: [name] })),
    nodes: names.map((name) => node(name)),
    pods: names.map((name) => web(`on-${name}`, name)),
  };
  const reversed = {
    groups: lists.groups.toReversed(),
    nodes: lists.nodes.toReversed(),
    pods: lists.pods.toReversed(),
  };
  const [one, other] = await Promise.all(
    [lists, reversed].map(async (given) => await periodOf(seenAt(0, given), seenAt(10, given))),
  );
  expect([other!.pods, other!.nodes, [...other!.groups]]).toEqual([one!.pods, one!.nodes, [...one!.groups]]);
});
