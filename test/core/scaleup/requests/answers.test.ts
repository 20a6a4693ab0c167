import { describe, expect, test } from 'vitest';
import { evaluate, evaluateScaleUp } from '../../../../core/evaluate.ts';
import { ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import type { Pod, TopologySpreadConstraint } from '../../../../core/model/cluster/pod.ts';
import type { ProvisioningRequest } from '../../../../core/model/cluster/provisioning-request.ts';
import { buildRegistry } from '../../../../core/registry/registry.ts';
import { decideScaleUp } from '../../../../core/scaleup/scale-up.ts';
import type { State } from '../../../../core/model/state.ts';
import { type GroupName, podKey } from '../../../../core/model/values/names.ts';
import { minutes } from '../../../../core/model/values/time.ts';
import { node, pod, type PodOptions } from '../../../builders.ts';
import { group, NOW, type ScenarioGiven, times } from '../../../scenario-builders.ts';
import { buffer, template } from '../../headroom/given.ts';
import { atomic, condition, pods, request, requested } from '../../headroom/requests/given.ts';

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
    expect(answered([request('r', pods(3))], given)).toEqual({
      answers: ['r CapacityIsNotFound 2+0 of 3'],
      sizes: [],
    });
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

/** Two ready nodes of three cpu each, in a group whose new nodes have four. */
const TWO_NODES: ScenarioGiven = {
  groups: [group('a', { nodes: ['n1', 'n2'], max: 4 })],
  nodes: ['n1', 'n2'].map((name) => node(name, { cpu: 3, memory: '16Gi' })),
  objects: {
    podTemplates: [template('chunk', { cpu: 1 }), template('large', { cpu: 2 }), template('whole', { cpu: 3 })],
  },
};
const SPREAD_OVER_ZONES: TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: ZONE_LABEL,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: {}, matchExpressions: [] },
  minDomains: null,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
};
const large = (name: string, given: PodOptions = {}): Pod => pod(name, { requests: { cpu: 2 }, ...given });

describe('room that smaller pods split', () => {
  const small = times(2, (i) => pending(`p${i}`));
  const RS = [request('r', pods(2)), atomic('s', pods(2, 'large'))];
  const ofTwoSets = atomic('s', {
    podSets: [
      { podTemplate: 'chunk', count: 2 },
      { podTemplate: 'large', count: 2 },
    ],
  });

  test.each<readonly [string, readonly ProvisioningRequest[], ScenarioGiven, readonly string[]]>([
    ['of an earlier request', RS, {}, ['r 2', 's 2']],
    ['that wait', [atomic('s', pods(2, 'large'))], { pods: small }, ['s 2']],
    ['of the request itself', [ofTwoSets], {}, ['s 4']],
    ['is found by a request of check-capacity as well', [RS[0]!, request('s', pods(2, 'large'))], {}, ['r 2', 's 2']],
    ['beside pods that no node holds', RS, { pods: [pending('p', { requests: { cpu: 100 } })] }, ['r 2', 's 2']],
  ])('%s: no node is added', (_, requests, given, found) => {
    expect(answered(requests, { ...TWO_NODES, ...given })).toEqual({
      answers: found.map((one) => one.replace(/^(\w) (\d)$/, '$1 CapacityIsFound $2+0 of $2')),
      sizes: [],
    });
  });

  test('is found beside nodes that are added for others, unless these may need the pods where they are', () => {
    const whole = (given: PodOptions = {}) => [pod('p', { requests: { cpu: 4 }, ...given })];
    const spread = { spec: { topologySpread: [SPREAD_OVER_ZONES] } };
    const found = ['r CapacityIsFound 2+0 of 2', 's CapacityIsFound 2+0 of 2'];
    expect(answered(RS, { ...TWO_NODES, pods: whole() })).toEqual({ answers: found, sizes: ['a 3'] });
    expect(answered(RS, { ...TWO_NODES, pods: whole(spread) }).sizes).toEqual(['a 4']);
    const huge = (given: PodOptions = {}): ScenarioGiven => {
      const one = { ...template('huge', {}), pod: pod('huge', { requests: { cpu: 4 }, uid: '', ...given }) };
      return { ...TWO_NODES, objects: { podTemplates: [...TWO_NODES.objects!.podTemplates!, one] } };
    };
    const first = atomic('f', pods(1, 'huge'));
    const provisioned = 'f CapacityIsProvisioned 0+1 of 1';
    expect(answered([first, ...RS], huge())).toEqual({ answers: [provisioned, ...found], sizes: ['a 3'] });
    expect(answered([first, ...RS], huge(spread)).sizes).toEqual(['a 4']);
  });

  describe('is kept', () => {
    const decided = (requests: readonly ProvisioningRequest[], given: ScenarioGiven = {}) => {
      const input = requested(requests, { ...TWO_NODES, ...given });
      return decideScaleUp(input, buildRegistry(input));
    };

    test('for a buffer that waited, and how its places were found before is forgotten', () => {
      const { cluster, state } = decided([atomic('s', pods(2, 'large'))], {
        options: { capacityBuffers: true },
        objects: { ...TWO_NODES.objects, capacityBuffers: [buffer('b', { replicas: 2 })] },
        state: { reservedPacking: { a: { nodes: [[{ kind: 'f00', count: 1 }]], spare: 0 } } } as Partial<State>,
      });
      const one = [['CapacityBuffer default/b', 1]];
      expect([...cluster.held!].map(([name, counts]) => [name, [...counts]])).toEqual([
        ['n1', one],
        ['n2', one],
      ]);
      expect(state.reservedPacking).toEqual({});
    });

    test('for all requests', () => {
      const { reservations } = decided(RS).state;
      expect(reservations['a' as GroupName]?.map(({ count }) => count)).toEqual([2, 2]);
    });
  });

  test('is not made by pods that would leave a node that is there for one on its way', () => {
    const { state } = evaluateScaleUp(requested([], { ...TWO_NODES, pods: [pod('p0', { requests: { cpu: 4 } })] }));
    const given = (given: Partial<ScenarioGiven>): ScenarioGiven => ({
      ...TWO_NODES,
      groups: [group('a', { nodes: ['n1'], max: 4, target: 2 })],
      nodes: TWO_NODES.nodes!.slice(0, 1),
      state,
      ...given,
    });
    const two = atomic('s', pods(2, 'whole'));
    expect(answered([two], given({ pods: [pending('p')] }))).toEqual({
      answers: ['s CapacityIsProvisioned 1+1 of 2'],
      sizes: ['a 3'],
    });
    expect(answered([request('r'), two], given({}))).toEqual({
      answers: ['r CapacityIsFound 1+0 of 1', 's CapacityIsProvisioned 1+1 of 2'],
      sizes: ['a 3'],
    });
  });

  describe('that have it for certain', () => {
    const held = request('r', { ...pods(2), conditions: [condition('Provisioned', 5)] });
    // It keeps the others from being placed together with it from the start.
    const hopeless = request('t', pods(5, 'whole'));
    const requests = [held, hopeless, atomic('s', pods(2, 'large'))];

    test('is found, and they have it elsewhere', () => {
      expect(answered(requests, TWO_NODES)).toEqual({
        answers: ['r Booked 2+0 of 2', 's CapacityIsFound 2+0 of 2', 't CapacityIsNotFound 0+0 of 5'],
        sizes: [],
      });
      const input = requested(requests, TWO_NODES);
      const { held: rooms } = decideScaleUp(input, buildRegistry(input)).cluster;
      const one = [['ProvisioningRequest default/r', 1]];
      expect([...rooms!].map(([name, counts]) => [name, [...counts]])).toEqual([
        ['n1', one],
        ['n2', one],
      ]);
    });

    test.each([1.5, 2])('is not found where pods of %d cpu that come first have none', (cpu) => {
      const given = {
        ...TWO_NODES,
        groups: [group('a', { nodes: ['n1', 'n2'], max: 2 })],
        pods: [large('p1'), pending('p2', { requests: { cpu } })],
      };
      expect(answered([held, hopeless, atomic('s', pods(1, 'large'))], given).answers).toEqual([
        'r Booked 2+0 of 2',
        's CapacityIsNotFound 0+0 of 1',
        't CapacityIsNotFound 0+0 of 5',
      ]);
    });

    test('is found beside pods that come first and get a node', () => {
      const given = { ...TWO_NODES, pods: [large('p1'), pending('p2', { requests: { cpu: 1.5 } })] };
      expect(answered([held, hopeless, atomic('s', pods(2, 'large'))], given)).toEqual({
        answers: ['r Booked 2+0 of 2', 's CapacityIsFound 2+0 of 2', 't CapacityIsNotFound 0+0 of 5'],
        sizes: ['a 3'],
      });
    });

    test('is theirs together', () => {
      const both = [held, request('s', { ...pods(2, 'large'), conditions: [condition('Provisioned', 5)] })];
      expect(answered(both, TWO_NODES).answers).toEqual(['r Booked 2+0 of 2', 's Booked 2+0 of 2']);
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
    expect(answered([booked(5)], { ...ONE_NODE, pods: others })).toEqual({
      answers: ['r Booked 1+0 of 2'],
      sizes: [],
    });
  });

  describe('and that could be in several places', () => {
    test('leaves whole nodes to larger pods that wait', () => {
      const given = { ...TWO_NODES, pods: [large('p1'), large('p2')] };
      expect(answered([booked(5, pods(2))], given)).toEqual({ answers: ['r Booked 2+0 of 2'], sizes: [] });
    });

    test('leaves whole nodes to larger pods of a later request', () => {
      expect(answered([booked(5, pods(2)), atomic('s', pods(2, 'large'))], TWO_NODES)).toEqual({
        answers: ['r Booked 2+0 of 2', 's CapacityIsFound 2+0 of 2'],
        sizes: [],
      });
    });

    test('is nowhere else where that leaves less of it', () => {
      const given = { ...TWO_NODES, pods: times(2, (i) => pod(`p${i}`, { requests: { cpu: 3 } })) };
      expect(answered([booked(5, pods(2))], given)).toEqual({ answers: ['r Booked 2+0 of 2'], sizes: ['a 3'] });
    });

    test('is on nodes that are there, even if larger pods could be', () => {
      const on = large('on', { node: 'n1' });
      const first = requested([], { ...TWO_NODES, pods: [on, pod('p0', { requests: { cpu: 4 } })] });
      const { state } = evaluateScaleUp(first);
      const given = {
        ...TWO_NODES,
        groups: [group('a', { nodes: ['n1', 'n2'], max: 4, target: 3 })],
        pods: [on, large('p1'), pod('p2', { requests: { cpu: 3 } })],
        state,
      };
      const { upcoming, provisioningRequests } = evaluateScaleUp(requested([booked(5, pods(2))], given)).scaleUp;
      expect(upcoming).toEqual({ a: 1 });
      expect(provisioningRequests).toMatchObject([{ outcome: 'Booked', fits: 2 }]);
      expect(provisioningRequests![0]).not.toHaveProperty('upcoming');
    });
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
