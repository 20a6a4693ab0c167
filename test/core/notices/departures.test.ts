import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intentsOf } from '../../../core/actuation/intents-of.ts';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import { NO_OBJECTS, type Scenario } from '../../../core/model/scenario.ts';
import { type Notice, NOTICE_KINDS, type NoticeKind } from '../../../core/model/notice.ts';
import type { Options } from '../../../core/model/options.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes, seconds } from '../../../core/model/values/time.ts';
import { departuresOf } from '../../../core/notices/departures.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW, running, scenario, zoneLabels } from '../../scenario-builders.ts';

const SPOT = { 'node.kubernetes.io/instance-type': 'm6i.xlarge', 'eks.amazonaws.com/capacityType': 'SPOT' };
const inZone = (zone: string) => ({ ...SPOT, ...zoneLabels(zone) });

export const notice = (kind: NoticeKind, extra: Partial<Notice> = {}): Notice => ({
  instance: instanceId('i-spot-0'),
  group: groupName('spot'),
  kind,
  receivedAt: NOW,
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

const nodesOf = (given: Scenario) => departuresOf(given).map(({ node: of }) => of);

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
  ])('%s with %j: %s', (kind, options, leaves) => {
    expect(nodesOf(cluster([notice(kind)], options))).toEqual(leaves ? ['s0'] : []);
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
    const deletionsInProgress = [
      { node: nodeName('s0'), group: groupName('spot'), kind: 'drain' as const, since: NOW },
    ];
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
        const [one, other] = [departuresOf(cluster(notices)), departuresOf(cluster(notices.toReversed()))];
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

describe('an evaluation with a Spot interruption', () => {
  const given = cluster([notice('SpotInterruption')]);
  const decision = evaluateScaleUp(given);

  it('buys the replacement elsewhere, for the type is short in the zone', () => {
    expect(decision.scaleUp).toMatchObject({
      increases: [{ group: 'spot-b', from: 0, to: 1 }],
      pods: [{ pod: 'default/web', outcome: 'Triggered', group: 'spot-b' }],
    });
    expect(decision.state.shortages).toEqual([
      { type: 'm6i.xlarge', zone: 'eu-1a', capacityType: 'spot', until: addTime(NOW, minutes(3)) },
    ]);
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
