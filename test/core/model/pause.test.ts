import { describe, expect, test } from 'vitest';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { type Pause, type PausedPart, pauseOf, pausesIn } from '../../../core/model/pause.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { group, noticeOf, NOW, running, scenario } from '../../scenario-builders.ts';

const web = groupName('web');
const batch = groupName('batch');
const inAnHour = addTime(NOW, minutes(60));

const pause = (part: PausedPart, given: Partial<Pause> = {}): Pause => ({
  part,
  group: null,
  until: null,
  cancelDrains: false,
  source: 'Command',
  ...given,
});

/**
 * A pod that needs a node of `web`, a node of `batch` that has been unneeded for long, an instance of `batch` that never became
 * a node, and a Spot interruption of another node.
 */
const busy = (pauses: readonly Pause[], own: { readonly batch?: Pause } = {}): Scenario => ({
  ...scenario({
    groups: [
      group('web', { node: { cpu: 4, memory: '16Gi' } }),
      {
        ...group('batch', {
          nodes: ['b0', 'b1'],
          target: 3,
          node: { cpu: 2, memory: '7971Mi' },
          instances: [running('i-b0', 'b0'), running('i-b1', 'b1'), running('i-lost', null)],
        }),
        ...(own.batch !== undefined && { pause: own.batch }),
      },
    ],
    nodes: [
      node('b0', { cpu: '1930m', memory: '7093Mi' }, { createdAt: addTime(NOW, minutes(-90)) }),
      node('b1', { cpu: '1930m', memory: '7095Mi' }, { createdAt: addTime(NOW, minutes(-91)) }),
    ],
    pods: [
      pod('asks', { requests: { cpu: '3' } }),
      pod('runs', { requests: { cpu: '1700m' }, node: 'b1', owner: 'ReplicaSet/runs' }),
    ],
    state: {
      unneededSince: { [nodeName('b0')]: addTime(NOW, minutes(-20)) },
      unregisteredSince: { [instanceId('i-lost')]: addTime(NOW, minutes(-40)) },
      lastScaleUpEvaluation: NOW,
      lastEvaluation: addTime(NOW, minutes(-1)),
    },
  }),
  notices: [noticeOf('i-b1', batch)],
  ...(pauses.length > 0 && { pauses }),
});

/** Changes that are made, in short. */
function done(given: Scenario): readonly string[] {
  const grown = evaluateScaleUp(given);
  // Pods that wait for a node, and interruptions, hold removals back for a while: they are looked at without.
  const { notices: _, ...calm } = given;
  const shrunk = evaluateScaleDown({
    ...calm,
    objects: { ...calm.objects, pods: calm.objects.pods.filter(({ name }) => name !== 'asks') },
  });
  return [
    ...grown.scaleUp.increases.map((one) => `raise ${one.group}`),
    ...grown.registry.repairs.map((repair) => `${repair.kind} ${repair.group}`),
    ...(grown.departures ?? []).map((one) => `drain ${one.node} for ${one.notice}`),
    ...shrunk.scaleDown.removals.map((one) => `remove ${one.node}`),
  ];
}

const stayed = ({ scaleDown }: Decision) =>
  scaleDown.unremovable.map(({ node: of, reason, message }) => [of, reason, message] as const);

describe('a pause', () => {
  const everything = ['raise web', 'DeleteUnregistered batch', 'drain b1 for SpotInterruption', 'remove b0'];

  test.each<readonly [what: string, scenario: Scenario, done: readonly string[]]>([
    ['none', busy([]), everything],
    ['of everything', busy([pause('All')]), ['drain b1 for SpotInterruption']],
    ['of scale-up', busy([pause('ScaleUp')]), everything.filter((one) => one !== 'raise web')],
    ['of scale-down', busy([pause('ScaleDown')]), ['raise web', 'drain b1 for SpotInterruption']],
    [
      'of everything in one group',
      busy([pause('All', { group: batch })]),
      ['raise web', 'drain b1 for SpotInterruption'],
    ],
    ['of everything in another group', busy([pause('All', { group: web })]), everything.slice(1)],
    [
      'by a tag of the group',
      busy([], { batch: pause('All', { group: batch, source: 'NodeGroup' }) }),
      ['raise web', 'drain b1 for SpotInterruption'],
    ],
    ['that has an end', busy([pause('All', { until: inAnHour })]), ['drain b1 for SpotInterruption']],
    ['that has ended', busy([pause('All', { until: NOW })]), everything],
    ['of which one has ended', busy([pause('All', { until: NOW }), pause('ScaleUp')]), everything.slice(1)],
  ])('%s', (_, given, expected) => {
    expect(done(given)).toEqual(expected);
  });

  test('is the reason of the pods, node groups and nodes that it holds back', () => {
    const given = busy([pause('All', { until: inAnHour })]);
    const { notices: _, ...calm } = given;
    const decision = evaluate(calm);
    expect(decision.scaleUp.skippedGroups).toMatchObject([
      { group: 'batch', reason: 'Paused', message: 'by outrigger pause', until: inAnHour },
      { group: 'web', reason: 'Paused', message: 'by outrigger pause', until: inAnHour },
    ]);
    expect(decision.scaleUp.pods[0]).toMatchObject({ outcome: 'Unschedulable' });
    expect(decision.scaleUp.pods[0]!.reasons).toContainEqual({
      group: 'web',
      reason: 'paused: by outrigger pause, until 2026-01-01T13:00:00Z',
    });
    expect(stayed(decision)).toContainEqual(['b0', 'Paused', 'by outrigger pause, until 2026-01-01T13:00:00Z']);
    expect(decision.pauses).toEqual(given.pauses);
  });

  test('starts the time of unneeded nodes anew, so that its end removes nothing at once', () => {
    const { state } = evaluateScaleDown(busy([pause('ScaleDown')]));
    expect(state.unneededSince).toEqual({});
  });
});

describe('pauseOf', () => {
  test('names the pause that ends last', () => {
    const pauses = [pause('All', { until: inAnHour }), pause('ScaleUp', { until: null }), pause('ScaleDown')];
    const of = (work: Parameters<typeof pauseOf>[0]) => pauseOf(work, { name: web }, { pauses, now: NOW });
    expect([of('ScaleUp'), of('ScaleDown')]).toEqual([pauses[1], pauses[2]]);
  });
});

test('pauses in force are listed whatever the order in which they are found', () => {
  const [ofCluster, ofWeb] = [pause('ScaleUp'), pause('All', { group: web })];
  const own = pause('All', { group: batch, source: 'NodeGroup' });
  const given = { nodeGroups: [{ pause: own }, {}], now: NOW };
  expect(pausesIn({ ...given, pauses: [ofWeb, ofCluster] })).toEqual([ofCluster, own, ofWeb]);
});
