import { describe, expect, test } from 'vitest';
import { evaluate, evaluateScaleUp } from '../../../core/evaluate.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { ProvisioningRequest } from '../../../core/model/cluster/provisioning-request.ts';
import { podKey } from '../../../core/model/values/names.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { node, pod, type PodOptions } from '../../builders.ts';
import { group, NOW, type ScenarioGiven, times } from '../../scenario-builders.ts';
import { atomic, condition, pods, request, requested } from '../headroom/requests/given.ts';

const CONSUME = 'autoscaling.x-k8s.io/consume-provisioning-request';
const pending = (name: string, given: PodOptions = {}): Pod => pod(name, { requests: { cpu: 1 }, ...given });
const consumer = (name: string, of: string): Pod => pending(name, { annotations: { [CONSUME]: of }, node: 'n1' });

/** Per request: outcome, and the numbers of its pods; and the sizes that are decided. */
function answered(requests: readonly ProvisioningRequest[], given: ScenarioGiven = {}) {
  const { scaleUp } = evaluateScaleUp(requested(requests, given));
  return {
    answers: (scaleUp.provisioningRequests ?? []).map(
      ({ name, outcome, wanted, fits, triggered }) =>
        `${name.replace('default/', '')} ${outcome} ${fits}+${triggered} of ${wanted}`,
    ),
    sizes: scaleUp.increases.map(({ group: name, to }) => `${name} ${to}`),
  };
}
/** A ready node of four cpu, in a group that may have three. */
const ONE_NODE: ScenarioGiven = {
  groups: [group('a', { nodes: ['n1'], max: 3 })],
  nodes: [node('n1', { cpu: 4, memory: '16Gi' })],
};

describe('a request of check-capacity', () => {
  test.each<readonly [string, ProvisioningRequest, string]>([
    ['that fits is found', request('r', pods(4)), 'r CapacityIsFound 4+0 of 4'],
    ['that does not fit gets nothing, and adds nothing', request('r', pods(5)), 'r CapacityIsNotFound 4+0 of 5'],
    [
      'has the pods of all its sets',
      request('r', {
        podSets: [
          { podTemplate: 'chunk', count: 2 },
          { podTemplate: 'chunk', count: 3 },
        ],
      }),
      'r CapacityIsNotFound 4+0 of 5',
    ],
    ['without its template has failed', request('r', pods(1, 'missing')), 'r FailedToCreatePods 0+0 of 1'],
    ['with too many pods has failed', request('r', pods(5_001)), 'r FailedToCreatePods 0+0 of 5001'],
  ])('%s', (_, given, expected) => {
    expect(answered([given], ONE_NODE)).toEqual({ answers: [expected], sizes: [] });
  });

  test('takes no room that an earlier one has been given, and one that fails leaves its room to the next', () => {
    const requests = [request('a', pods(3)), request('b', pods(2)), request('c', pods(1))];
    expect(answered(requests, ONE_NODE).answers).toEqual([
      'a CapacityIsFound 3+0 of 3',
      'b CapacityIsNotFound 1+0 of 2',
      'c CapacityIsFound 1+0 of 1',
    ]);
  });

  test('comes after pods that wait', () => {
    const given = { ...ONE_NODE, pods: [pending('p1'), pending('p2')] };
    expect(answered([request('r', pods(3))], given)).toEqual({ answers: ['r CapacityIsNotFound 2+0 of 3'], sizes: [] });
  });
});

describe('a request of best-effort-atomic-scale-up', () => {
  test.each<readonly [string, ProvisioningRequest, string, readonly string[]]>([
    ['that fits is found', atomic('r', pods(4)), 'r CapacityIsFound 4+0 of 4', []],
    ['adds nodes for what does not fit', atomic('r', pods(9)), 'r CapacityIsProvisioned 4+5 of 9', ['a 3']],
    ['adds none if not all pods get a place', atomic('r', pods(13)), 'r CapacityIsNotFound 4+0 of 13', []],
  ])('%s', (_, given, expected, sizes) => {
    expect(answered([given], ONE_NODE)).toEqual({ answers: [expected], sizes });
  });

  test('grows groups beside the pods that wait, which come first', () => {
    const given = { ...ONE_NODE, pods: times(8, (i) => pending(`p${i}`)) };
    expect(answered([atomic('r1', pods(3)), atomic('r2', pods(3)), atomic('r3', pods(1))], given)).toEqual({
      answers: ['r1 CapacityIsProvisioned 0+3 of 3', 'r2 CapacityIsNotFound 1+0 of 3', 'r3 CapacityIsFound 1+0 of 1'],
      sizes: ['a 3'],
    });
  });

  test('that fails does not keep pods from the room', () => {
    const given = { ...ONE_NODE, pods: [pending('p1'), pending('p2')] };
    const decision = evaluateScaleUp(requested([atomic('r', pods(20))], given));
    expect(decision.scaleUp).toMatchObject({ increases: [], pods: [{ outcome: 'Fits' }, { outcome: 'Fits' }] });
  });

  test('adds nothing while the cluster is not healthy', () => {
    const unready = times(10, (i) =>
      node(`u${i}`, {}, { conditions: [{ type: 'Ready', status: 'False', reason: '', since: null }] }),
    );
    const given = { ...ONE_NODE, nodes: [...ONE_NODE.nodes!, ...unready] };
    const { scaleUp } = evaluateScaleUp(requested([atomic('r', pods(9))], given));
    expect(scaleUp).toMatchObject({
      result: 'ClusterUnhealthy',
      increases: [],
      provisioningRequests: [{ outcome: 'CapacityIsNotFound', reasons: [{ reason: 'the cluster is unhealthy' }] }],
    });
  });
});

describe('room that a request was given', () => {
  const booked = (minutesAgo: number, given: Partial<ProvisioningRequest> = {}) =>
    request('r', { ...pods(3), conditions: [condition('Provisioned', minutesAgo)], ...given });

  test('is not there for pods that wait: nodes are added for them', () => {
    const given = { ...ONE_NODE, pods: [pending('p1'), pending('p2')] };
    expect(answered([booked(9)], given)).toEqual({ answers: ['r Booked 3+0 of 3'], sizes: ['a 2'] });
  });

  test.each<readonly [string, ProvisioningRequest]>([
    ['after ten minutes', booked(11)],
    ['when all of its pods have come', booked(5, pods(1))],
  ])('is there for them %s', (_, given) => {
    const placed = [pending('p1'), pending('p2'), consumer('c', 'r')];
    expect(answered([given], { ...ONE_NODE, pods: placed }).sizes).toEqual([]);
  });

  test('is held for the pods that have not come, and adds no node for those that find none', () => {
    const others = [consumer('c1', 'r'), pod('other', { requests: { cpu: 2 }, node: 'n1' })];
    expect(answered([booked(5)], { ...ONE_NODE, pods: others })).toEqual({ answers: ['r Booked 1+0 of 2'], sizes: [] });
  });

  test('keeps its node', () => {
    const unneeded = { unneededSince: { n1: NOW - minutes(30) } } as unknown as ScenarioGiven['state'];
    const removed = (requests: readonly ProvisioningRequest[]) =>
      evaluate(requested(requests, { ...ONE_NODE, state: unneeded! })).scaleDown.removals.map((one) => one.node);
    expect(removed([])).toEqual(['n1']);
    expect(removed([booked(5)])).toEqual([]);
  });

  test('on nodes that were added for it is found again before other pods take it', () => {
    const first = requested([atomic('r', pods(9))], ONE_NODE);
    const decided = evaluateScaleUp(first);
    const next = requested([atomic('r', { ...pods(9), conditions: [condition('Provisioned', 0)] })], {
      ...ONE_NODE,
      groups: [group('a', { nodes: ['n1'], max: 3, target: 3 })],
      pods: times(4, (i) => pending(`p${i}`)),
      state: decided.state,
    });
    expect(evaluateScaleUp(next).scaleUp).toMatchObject({
      increases: [],
      provisioningRequests: [{ outcome: 'Booked', wanted: 9, fits: 9 }],
    });
  });
});

describe('pods that consume a request', () => {
  test.each([CONSUME, 'cluster-autoscaler.kubernetes.io/consume-provisioning-request'])(
    'cause no scale-up, with the option: %s',
    (annotation) => {
      const given = { ...ONE_NODE, pods: times(9, (i) => pending(`p${i}`, { annotations: { [annotation]: 'r' } })) };
      const { scaleUp } = evaluateScaleUp(requested([], given));
      expect(scaleUp.increases).toEqual([]);
      expect(scaleUp.pods[0]).toEqual({
        pod: podKey('default', 'p0'),
        outcome: 'Ignored',
        reasons: [{ reason: 'it consumes ProvisioningRequest default/r' }],
      });
      const without = requested([], { ...given, options: { provisioningRequests: false } });
      expect(evaluateScaleUp(without).scaleUp.increases).not.toEqual([]);
    },
  );
});

test.each<readonly [string, ProvisioningRequest]>([
  ['of a class for another autoscaler', request('r', { className: 'queued-provisioning.gke.io' })],
  ['that has failed', request('r', { conditions: [condition('Failed', 1)] })],
  [
    'whose booking is over',
    request('r', { conditions: [condition('Provisioned', 20), condition('BookingExpired', 1)] }),
  ],
])('a request %s is left alone', (_, given) => {
  expect(answered([given], ONE_NODE).answers).toEqual([]);
});

test('without the option requests are left alone', () => {
  expect(answered([request('r')], { ...ONE_NODE, options: { provisioningRequests: false } }).answers).toEqual([]);
});
