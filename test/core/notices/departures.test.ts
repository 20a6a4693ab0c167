import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intentsOf } from '../../../core/actuation/intents-of.ts';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import { NO_OBJECTS, type Scenario } from '../../../core/model/scenario.ts';
import { type Notice, NOTICE_KINDS, type NoticeKind } from '../../../core/model/notice.ts';
import type { Options } from '../../../core/model/options.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { announcedIn } from '../../../core/notices/departures.ts';
import { node, pod } from '../../builders.ts';
import { group, noticeOf, NOW, removalOf, running, scenario, zoneLabels } from '../../scenario-builders.ts';

const SPOT = { 'node.kubernetes.io/instance-type': 'm6i.xlarge', 'eks.amazonaws.com/capacityType': 'SPOT' };
const inZone = (zone: string) => ({ ...SPOT, ...zoneLabels(zone) });

export const notice = (kind: NoticeKind, extra: Partial<Notice> = {}): Notice =>
  noticeOf('i-spot-0', 'spot', {
    kind,
    endsAt: kind === 'SpotInterruption' ? addTime(NOW, minutes(2)) : null,
    hook: kind === 'LifecycleHook' ? { name: 'outrigger', token: 't', heartbeatUntil: null } : null,
    ...extra,
  });

/** Two Spot nodes in zone a, with a pod that fills half of the first, and another group in zone b that is empty. */
const cluster = (notices: readonly Notice[], options: Partial<Options> = {}): Scenario => ({
  ...scenario({
    options,
    groups: [
      group('spot', { nodes: ['s0', 's1'], labels: SPOT, zone: 'eu-1a' }),
      group('spot-b', { labels: SPOT, zone: 'eu-1b' }),
    ],
    nodes: [
      node('s0', { cpu: 4, memory: '16Gi' }, { labels: inZone('eu-1a') }),
      node('s1', { cpu: 4, memory: '16Gi' }, { labels: inZone('eu-1a') }),
    ],
    pods: [
      pod('web', { requests: { cpu: 3 }, node: 's0', owner: 'ReplicaSet/web' }),
      pod('busy', { requests: { cpu: 3 }, node: 's1', owner: 'ReplicaSet/web' }),
    ],
  }),
  ...(notices.length > 0 && { notices }),
});

const nodesOf = (given: Scenario) => announcedIn(given).departures.map(({ node: of }) => of);

describe('the nodes that leave for a notice', () => {
  it.each<[NoticeKind, Partial<Options>, boolean]>([
    ['SpotInterruption', {}, true],
    ['SpotInterruption', { spotInterruption: 'ignore' }, false],
    ['ScheduledChange', {}, true],
    ['ScheduledChange', { scheduledChange: 'ignore' }, false],
    ['CapacityReservationEnd', {}, true],
    ['CapacityReservationEnd', { scheduledChange: 'ignore' }, false],
    ['LifecycleHook', {}, true],
    ['InstanceStopping', {}, true],
    ['RebalanceRecommendation', {}, false],
    ['RebalanceRecommendation', { rebalanceRecommendation: 'cordon' }, false],
    ['RebalanceRecommendation', { rebalanceRecommendation: 'replace' }, false],
  ])('%s with %j: %s', (kind, options, leaves) => {
    expect(nodesOf(cluster([notice(kind)], options))).toEqual(leaves ? ['s0'] : []);
  });

  it.each<[NoticeKind, Partial<Options>, Partial<Options>, boolean]>([
    ['SpotInterruption', { spotInterruption: 'ignore' }, { spotInterruption: 'drain' }, true],
    ['SpotInterruption', {}, { spotInterruption: 'ignore' }, false],
    ['ScheduledChange', {}, { scheduledChange: 'ignore' }, false],
  ])('%s with %j: what the node group says counts, %j: %s', (kind, options, own, leaves) => {
    const given = cluster([notice(kind)], options);
    const nodeGroups = given.nodeGroups.map((one) => ({ ...one, options: own }));
    expect(nodesOf({ ...given, nodeGroups })).toEqual(leaves ? ['s0'] : []);
  });

  it('are those of the instance and the group that are named, and no others', () => {
    expect(nodesOf(cluster([notice('SpotInterruption', { instance: instanceId('i-foreign') })]))).toEqual([]);
    expect(nodesOf(cluster([notice('SpotInterruption', { group: groupName('spot-b') })]))).toEqual([]);
  });

  it('are none of an instance that has not become a node, or of a node that is being removed', () => {
    const given = cluster([notice('SpotInterruption')]);
    expect(nodesOf({ ...given, objects: NO_OBJECTS })).toEqual([]);
    const unregistered = given.nodeGroups.map((one) => ({ ...one, instances: [running('i-spot-0', null)] }));
    expect(nodesOf({ ...given, nodeGroups: unregistered })).toEqual([]);
    const deletionsInProgress = [removalOf('s0', 'spot')];
    expect(nodesOf({ ...given, state: { ...given.state, deletionsInProgress } })).toEqual([]);
  });

  it('are none of a notice that is older than the end that it announces', () => {
    expect(nodesOf(cluster([notice('SpotInterruption', { endsAt: NOW })]))).toEqual([]);
    expect(nodesOf(cluster([notice('InstanceStopping', { receivedAt: addTime(NOW, minutes(-10)) })]))).toEqual([]);
  });

  it('are drained from an hour before maintenance', () => {
    const at = (after: number) => cluster([notice('ScheduledChange', { endsAt: addTime(NOW, minutes(after)) })]);
    expect(nodesOf(at(61))).toEqual([]);
    expect(nodesOf(at(60))).toEqual(['s0']);
  });

  it('are each there once, whatever notices there are in whatever order', () => {
    const kinds = fc.array(fc.constantFrom(...NOTICE_KINDS), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(kinds, (given) => {
        const notices = given.map((kind) => notice(kind));
        const [one, other] = [
          announcedIn(cluster(notices)).departures,
          announcedIn(cluster(notices.toReversed())).departures,
        ];
        expect(one).toEqual(other);
        expect(one.length).toBeLessThanOrEqual(1);
        expect(JSON.stringify(evaluate(cluster(notices)))).toBe(
          JSON.stringify(evaluate(cluster(notices.toReversed()))),
        );
      }),
      { numRuns: 30 },
    );
  });
});

/** The answer to a notice about the first node, and until when it is done. */
const answerIn = (given: Scenario) =>
  (evaluateScaleUp(given).notices ?? []).map(({ answer, until }) => [answer, until]);

describe('what a decision says of a notice', () => {
  it.each<[string, Notice, Partial<Options>, readonly unknown[]]>([
    ['an interruption', notice('SpotInterruption'), {}, ['Drain', addTime(NOW, minutes(2))]],
    ['one that is ignored', notice('SpotInterruption'), { spotInterruption: 'ignore' }, ['Ignore', null]],
    [
      'maintenance tomorrow',
      notice('ScheduledChange', { endsAt: addTime(NOW, minutes(24 * 60)) }),
      {},
      ['DrainLater', addTime(NOW, minutes(24 * 60))],
    ],
    ['a hook', notice('LifecycleHook'), {}, ['Drain', addTime(NOW, minutes(15))]],
    [
      'a hook of an instance that was to be maintained tomorrow',
      notice('LifecycleHook', { endsAt: addTime(NOW, minutes(24 * 60)) }),
      {},
      ['Drain', addTime(NOW, minutes(15))],
    ],
    [
      'a hook of an instance that is interrupted',
      notice('LifecycleHook', { endsAt: addTime(NOW, minutes(2)) }),
      {},
      ['Drain', addTime(NOW, minutes(2))],
    ],
    ['the hook of another tool', notice('LifecycleHook', { hook: null }), {}, ['Plan', addTime(NOW, minutes(60))]],
    ['a recommendation', notice('RebalanceRecommendation'), {}, ['Ignore', null]],
    [
      'one to be answered by a cordon',
      notice('RebalanceRecommendation'),
      { rebalanceRecommendation: 'cordon' },
      ['Cordon', null],
    ],
    [
      'one to be answered by a replacement',
      notice('RebalanceRecommendation'),
      { rebalanceRecommendation: 'replace' },
      ['Replace', addTime(NOW, minutes(60))],
    ],
  ])('%s', (_what, given, options, expected) => {
    expect(answerIn(cluster([given], options))).toEqual([expected]);
  });

  it('nothing, where it is over, or about no instance of the cluster', () => {
    expect(answerIn(cluster([notice('SpotInterruption', { endsAt: NOW })]))).toEqual([]);
    expect(answerIn(cluster([notice('SpotInterruption', { instance: instanceId('i-foreign') })]))).toEqual([]);
    const old = notice('RebalanceRecommendation', { receivedAt: addTime(NOW, minutes(-60)) });
    expect(answerIn(cluster([old], { rebalanceRecommendation: 'replace' }))).toEqual([]);
  });
});

describe('a lifecycle hook of an instance that has not become a node', () => {
  const hook = { name: 'outrigger', token: 't', heartbeatUntil: null };
  const launching = (given: Scenario): Scenario => ({
    ...given,
    nodeGroups: given.nodeGroups.map((one) =>
      one.name === 'spot'
        ? { ...one, instances: [...one.instances, { ...running('i-new', null), state: 'Deleting' }] }
        : one,
    ),
  });
  const ofNew = (extra: Partial<Notice> = {}): Notice =>
    notice('LifecycleHook', { instance: instanceId('i-new'), hook, ...extra });

  it('is the one thing that is answered about an instance without a node', () => {
    const other = notice('SpotInterruption', { instance: instanceId('i-new') });
    expect(evaluateScaleUp(launching(cluster([other]))).notices).toBeUndefined();
  });

  it('is completed at once: nothing is planned for, and nothing drained', () => {
    const given = launching(cluster([ofNew()]));
    const decision = evaluateScaleUp(given);
    expect(decision.notices).toMatchObject([{ instance: 'i-new', node: null, answer: 'CompleteHook' }]);
    expect(decision.departures).toBeUndefined();
    expect(decision.scaleUp.increases).toEqual([]);
    expect(intentsOf(decision, given, 7)).toMatchObject([
      {
        kind: 'RemoveNodes',
        group: 'spot',
        nodes: [{ node: 'i-new', uid: '', instance: 'i-new', kind: 'empty', notice: { kind: 'LifecycleHook', hook } }],
      },
    ]);
  });

  it('is left alone where it is another tool’s, or is being completed', () => {
    const foreign = launching(cluster([ofNew({ hook: null })]));
    expect(intentsOf(evaluateScaleUp(foreign), foreign, 7)).toEqual([]);
    const given = launching(cluster([ofNew()]));
    const deletionsInProgress = [removalOf('i-new', 'spot', { kind: 'empty' })];
    const under = { ...given, state: { ...given.state, deletionsInProgress } };
    expect(intentsOf(evaluateScaleUp(under), under, 7)).toEqual([]);
  });

  it('waits while a node cannot be read: the instance may be that node', () => {
    const given = launching(cluster([ofNew()]));
    const excludedNodes = [{ node: nodeName('unreadable'), reason: 'UnreadableNode' as const, message: '' }];
    const blind = { ...given, objects: { ...given.objects, excludedNodes } };
    expect(intentsOf(evaluateScaleUp(blind), blind, 7)).toEqual([]);
  });
});

describe('an evaluation with a Spot interruption', () => {
  const given = cluster([notice('SpotInterruption')]);
  const decision = evaluateScaleUp(given);

  it('buys the replacement elsewhere, for the type is short in the zone', () => {
    expect(decision.scaleUp).toMatchObject({
      increases: [{ group: 'spot-b', from: 0, to: 1 }],
      pods: [{ pod: 'default/web', outcome: 'Triggered', group: 'spot-b' }],
    });
    expect(decision.state.shortages).toEqual([
      { type: 'm6i.xlarge', zone: 'eu-1a', capacityType: 'spot', until: addTime(NOW, minutes(3)), lastResort: true },
    ]);
  });

  it('buys it of the same type and zone where nothing else helps', () => {
    const alone = { ...given, nodeGroups: given.nodeGroups.filter(({ name }) => name === 'spot') };
    const { scaleUp, state } = evaluateScaleUp(alone);
    expect(scaleUp.increases).toMatchObject([{ group: 'spot' }]);
    expect(scaleUp.pods).toMatchObject([{ pod: 'default/web', outcome: 'Triggered', group: 'spot' }]);
    expect(scaleUp.skippedGroups.filter(({ group }) => group === 'spot')).toEqual([]);
    const failed = { type: 'm6i.xlarge', zone: 'eu-1a', capacityType: 'spot', until: addTime(NOW, minutes(1)) };
    const short = { ...alone, state: { ...alone.state, shortages: [failed] } };
    expect(evaluateScaleUp(short).scaleUp.increases).toEqual([]);
    expect(evaluateScaleUp(short).state.shortages).toEqual([failed]);
    expect(state.shortages).toMatchObject([{ lastResort: true }]);
  });

  it('removes the node, and no other one, with the deadline of the notice', () => {
    const deadline = addTime(NOW, minutes(2));
    expect(decision.departures).toEqual([{ node: 's0', group: 'spot', notice: 'SpotInterruption', deadline }]);
    expect(intentsOf(decision, given, 7)).toMatchObject([
      { kind: 'SetSize', group: 'spot-b', from: 0, to: 1 },
      {
        kind: 'RemoveNodes',
        group: 'spot',
        nodes: [
          {
            node: 's0',
            uid: given.objects.nodes[0]!.uid,
            instance: 'i-spot-0',
            kind: 'drain',
            notice: { kind: 'SpotInterruption', deadline, hook: null },
          },
        ],
      },
    ]);
    expect(decision.state.deletionsInProgress).toEqual([{ node: 's0', group: 'spot', kind: 'drain', since: NOW }]);
  });

  it('is left to scale-up: scale-down only counts on the node no more', () => {
    const down = evaluateScaleDown(given);
    expect(down.departures).toBeUndefined();
    expect(down.state.deletionsInProgress).toEqual([]);
    expect(down.state.shortages).toEqual([]);
    expect(intentsOf(down, given, 7)).toEqual([]);
  });

  it('decides the same as without where nothing is about the cluster', () => {
    const foreign = notice('SpotInterruption', { instance: instanceId('i-foreign') });
    expect(evaluate(cluster([foreign]))).toEqual(evaluate(cluster([])));
  });
});

it.each([
  ['an instance that is stopping', notice('InstanceStopping', { endsAt: addTime(NOW, seconds(-5)) })],
  ['an instance that waits for the hook of another tool', notice('LifecycleHook', { hook: null })],
])('plans for the pods of %s, and drains nothing', (_what, announced) => {
  const given = cluster([announced]);
  const decision = evaluateScaleUp(given);
  expect(decision.scaleUp.increases.map(({ from, to }) => to - from)).toEqual([1]);
  expect(intentsOf(decision, given, 7)).toMatchObject([{ kind: 'SetSize' }]);
});
