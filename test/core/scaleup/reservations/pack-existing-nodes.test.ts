import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import { defaultOptions, type OptionDefaults } from '../../../../core/model/options.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../../core/model/cluster/pod.ts';
import type { State } from '../../../../core/model/state.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { affinityTerm, type Amounts, container, node, pod, type PodOptions, selector } from '../../../builders.ts';
import {
  group,
  type GroupGiven,
  NOW,
  scaleUpRequest,
  scenario,
  type ScenarioGiven,
  times,
  zoneLabels,
} from '../../../scenario-builders.ts';

const [A, B, C] = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

const some = (count: number, name: string, options: PodOptions): readonly Pod[] =>
  times(count, (i) => pod(`${name}-${i}`, { owner: `ReplicaSet/${name}`, labels: { app: name }, ...options }));

const there = (names: readonly string[], zone: string, amounts: Amounts = { cpu: 4, memory: '16Gi' }) =>
  names.map((name) => node(name, amounts, { labels: zoneLabels(zone) }));

const apart = (app: string, topologyKey: string): readonly PodAffinityTerm[] => [
  affinityTerm(topologyKey, selector({ app })),
];

const spread = (app: string, whenUnsatisfiable = 'DoNotSchedule'): readonly TopologySpreadConstraint[] => [
  {
    maxSkew: 1,
    topologyKey: HOSTNAME_LABEL,
    whenUnsatisfiable,
    labelSelector: selector({ app }),
    minDomains: null,
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    matchLabelKeys: [],
  },
];

const zonalSpread = (app: string) => spread(app).map((constraint) => ({ ...constraint, topologyKey: ZONE_LABEL }));

const ports = (cpu: number | string, sidecar = false) => {
  const withPort = { hostPorts: [{ hostIP: '', hostPort: 9_100, protocol: 'TCP' }] };
  return sidecar
    ? { containers: [container({ cpu })], initContainers: [container({}, { ...withPort, restartable: true })] }
    : { containers: [container({ cpu }, withPort)] };
};

const bought = ({ scaleUp }: Decision): number => scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);

const decided = (given: ScenarioGiven, defaults: OptionDefaults): Decision =>
  evaluate(scenario({ ...given, options: { ...defaultOptions(defaults), ...given.options } }));

/** Asked for a minute ago, and not there yet. */
const onTheirWay = (...groups: readonly string[]): Partial<State> => ({
  scaleUpRequests: groups.map((name) => scaleUpRequest(name, 1, epochMs(NOW - 60_000))),
});

const GROUPS = [A, B, C].map((zone) => group(`in-${zone.slice(-1)}`, { zone }));

describe.each(['outrigger', 'cluster-autoscaler'] as const)('with the defaults of %s', (defaults) => {
  const withoutRoom = (given: ScenarioGiven): readonly string[] =>
    decided({ groups: GROUPS, ...given }, defaults).scaleUp.pods.flatMap(({ pod: key, outcome }) =>
      outcome === 'Fits' ? [] : [key],
    );

  describe('rooms that few pods can use are not filled by pods that can go elsewhere', () => {
    test('a pod that selects a zone comes before larger ones that do not', () => {
      expect(
        withoutRoom({
          nodes: [...there(['n-0'], C), ...there(['n-1', 'n-2', 'n-3'], A)],
          pods: [
            ...some(3, 'any', { requests: { cpu: '1900m' } }),
            ...some(2, 'bound', { requests: { cpu: '900m' }, spec: { nodeSelector: { [ZONE_LABEL]: C } } }),
          ],
        }),
      ).toEqual([]);
    });

    test('one of two zones', () => {
      expect(
        withoutRoom({
          nodes: [...there(['n-0'], A), ...there(['n-1'], B)],
          pods: [
            ...some(2, 'any', { requests: { cpu: '1900m' } }),
            ...some(1, 'bound', { requests: { cpu: '1800m' }, spec: { nodeSelector: { [ZONE_LABEL]: A } } }),
          ],
        }),
      ).toEqual([]);
    });

    test('a pod without a toleration comes before larger ones that have it', () => {
      const dedicated = { key: 'dedicated', value: 'yes', effect: 'NoSchedule' } as const;
      expect(
        withoutRoom({
          nodes: [
            ...there(['n-0'], A),
            node('n-1', { cpu: 4, memory: '16Gi' }, { labels: zoneLabels(A), taints: [dedicated] }),
          ],
          pods: [
            ...some(2, 'tolerant', {
              requests: { cpu: '1900m' },
              spec: { tolerations: [{ ...dedicated, operator: 'Equal', tolerationSeconds: null }] },
            }),
            ...some(2, 'plain', { requests: { cpu: '1800m' } }),
          ],
        }),
      ).toEqual([]);
    });

    test('but never before pods of a higher priority', () => {
      const { scaleUp } = decided(
        {
          groups: GROUPS,
          nodes: [...there(['n-0'], A), ...there(['n-1'], B, { cpu: 1, memory: '16Gi' })],
          pods: [
            ...some(4, 'high', { requests: { cpu: 1 }, spec: { priority: 10 } }),
            ...some(1, 'bound', { requests: { cpu: '3900m' }, spec: { nodeSelector: { [ZONE_LABEL]: A } } }),
          ],
        },
        defaults,
      );
      expect(scaleUp.pods.filter(({ outcome }) => outcome !== 'Fits').map(({ pod: key }) => key)).toEqual([
        'default/bound-0',
      ]);
    });

    test('nor before pods that open the place for them', () => {
      expect(
        withoutRoom({
          nodes: [...there(['n-0'], A), ...there(['n-1'], B)],
          pods: [
            ...some(2, 'any', { requests: { cpu: '1900m' } }),
            ...some(1, 'bound', { requests: { cpu: 1 }, spec: { nodeSelector: { [ZONE_LABEL]: A } } }),
            ...some(1, 'anchor', { requests: { cpu: 1 }, spec: { nodeSelector: { [ZONE_LABEL]: B } } }),
            ...some(1, 'near', { requests: { cpu: 1 }, spec: { podAffinity: apart('anchor', ZONE_LABEL) } }),
          ],
        }),
      ).toEqual([]);
    });

    test('with the same pods reserved places on nodes on their way', () => {
      const groups = GROUPS.map((one) => ({ ...one, targetSize: one.name === 'in-b' ? 0 : 1 }));
      const pods = [
        ...some(3, 'any', { requests: { cpu: '1900m' } }),
        ...some(2, 'bound', { requests: { cpu: '900m' }, spec: { nodeSelector: { [ZONE_LABEL]: C } } }),
      ];
      const first = decided({ groups, pods: pods.slice(0, 3), state: onTheirWay('in-a', 'in-c') }, defaults);
      expect(first.scaleUp.result).toBe('NotNeeded');
      const next = decided({ groups, pods, state: first.state }, defaults);
      expect(next.scaleUp.result).toBe('NotNeeded');
    });
  });

  describe('pods that other pending pods open a place for have it', () => {
    const host = (name: string, zone = A, cpu = '3920m') =>
      node(name, { cpu, memory: '15Gi' }, { labels: { ...zoneLabels(zone), [HOSTNAME_LABEL]: name } });
    const beside = (app: string) => ({ podAffinity: apart(app, HOSTNAME_LABEL) });

    test.each([
      {
        what: 'a large pod beside small ones, on one node',
        nodes: [host('n-0')],
        pods: [
          ...some(1, 'large', { requests: { cpu: '2990m' }, spec: beside('small') }),
          ...some(3, 'small', { requests: { cpu: '210m' } }),
        ],
      },
      {
        what: 'a large pod beside small ones, on one of three nodes',
        nodes: [host('n-0'), host('n-1', B), host('n-2', C)],
        pods: [
          ...some(1, 'large', { requests: { cpu: '2990m' }, spec: beside('small') }),
          ...some(3, 'small', { requests: { cpu: '210m' } }),
        ],
      },
      {
        what: 'a chain of three workloads, on one node',
        nodes: [host('n-0')],
        pods: [
          ...some(1, 'last', { requests: { cpu: 1 }, spec: beside('middle') }),
          ...some(1, 'middle', { requests: { cpu: '900m' }, spec: beside('first') }),
          ...some(1, 'first', { requests: { cpu: '800m' } }),
        ],
      },
      {
        what: 'a set that must share a node, before larger pods',
        nodes: [host('n-0'), host('n-1', B)],
        pods: [
          ...some(6, 'set', { requests: { cpu: '85m' }, spec: beside('set') }),
          ...some(1, 'middle', { requests: { cpu: '768m' } }),
          ...some(5, 'large', { requests: { cpu: '538m' } }),
        ],
      },
      {
        what: 'a set that must share a zone, where the zone has most room',
        nodes: [host('n-0'), host('n-1', B), host('n-2', B)],
        pods: [
          ...some(4, 'set', { requests: { cpu: '1200m' }, spec: { podAffinity: apart('set', ZONE_LABEL) } }),
          ...some(1, 'small', { requests: { cpu: '300m' } }),
        ],
      },
      {
        what: 'pods that spread over zones, beside larger ones',
        nodes: [host('n-0', A, '7900m'), host('n-1', C, '7900m')],
        pods: [
          pod('running', { requests: { cpu: '1600m' }, node: 'n-0', owner: 'ReplicaSet/running' }),
          ...some(1, 'larger', { requests: { cpu: '1600m' } }),
          ...some(4, 'large', { requests: { cpu: 1 } }),
          ...some(4, 'spread', { requests: { cpu: '500m' }, spec: { topologySpread: zonalSpread('spread') } }),
        ],
      },
    ])('$what', ({ nodes, pods }) => {
      expect(withoutRoom({ nodes, pods })).toEqual([]);
    });

    test('a large pod beside small ones, on one new node', () => {
      const pods = [
        ...some(1, 'large', { requests: { cpu: '2990m' }, spec: beside('small') }),
        ...some(3, 'small', { requests: { cpu: '210m' } }),
      ];
      const decision = decided({ groups: GROUPS.slice(0, 1), nodes: [], pods }, defaults);
      expect(decision.scaleUp.pods.map(({ outcome }) => outcome)).toEqual(pods.map(() => 'Triggered'));
      expect(bought(decision)).toBe(1);
    });
  });

  describe('pods that keep apart come first on nodes that are there', () => {
    test.each([
      ['host ports', ports('500m')],
      ["a sidecar's host port", ports('500m', true)],
      ['a hard spread over hosts', { containers: [container({ cpu: '500m' })], topologySpread: spread('small') }],
      [
        'anti-affinity by host',
        { containers: [container({ cpu: '500m' })], podAntiAffinity: apart('small', HOSTNAME_LABEL) },
      ],
    ])('%s', (_, spec) => {
      expect(
        withoutRoom({
          nodes: there(['n-0', 'n-1', 'n-2', 'n-3'], A),
          pods: [...some(4, 'large', { requests: { cpu: '1900m' } }), ...some(4, 'small', { spec })],
        }),
      ).toEqual([]);
    });

    test('anti-affinity by zone', () => {
      expect(
        withoutRoom({
          nodes: [...there(['n-0', 'n-1'], A), ...there(['n-2', 'n-3'], B)],
          pods: [
            ...some(4, 'large', { requests: { cpu: '1900m' } }),
            ...some(2, 'small', { requests: { cpu: '500m' }, spec: { podAntiAffinity: apart('small', ZONE_LABEL) } }),
          ],
        }),
      ).toEqual([]);
    });

    test('a hard spread over hosts with more pods than nodes', () => {
      expect(
        withoutRoom({
          nodes: there(['n-0', 'n-1', 'n-2', 'n-3'], A),
          pods: [
            ...some(4, 'large', { requests: { cpu: '1900m' } }),
            ...some(8, 'small', { requests: { cpu: '500m' }, spec: { topologySpread: spread('small') } }),
          ],
        }),
      ).toEqual([]);
    });
  });

  describe('pods that keep apart come first on new nodes', () => {
    const large: GroupGiven = { node: { cpu: 4, memory: '16Gi' }, max: 20 };

    test('three pods of one host port, and what fills their nodes, with one node there', () => {
      const decision = decided(
        {
          groups: [group('g', large)],
          nodes: there(['n-0'], A),
          pods: [
            ...some(3, 'agent', { spec: ports('500m') }),
            ...some(1, 'large', { requests: { cpu: '3500m' } }),
            ...some(1, 'medium', { requests: { cpu: '3' } }),
          ],
        },
        defaults,
      );
      expect(bought(decision)).toBe(2);
    });

    test('and none where nodes on their way do', () => {
      const groups = [group('g', { ...large, target: 3 })];
      const pods = [
        ...some(3, 'agent', { spec: ports('500m') }),
        ...some(1, 'large', { requests: { cpu: '3500m' } }),
        ...some(1, 'medium', { requests: { cpu: '3' } }),
      ];
      expect(decided({ groups, pods, state: onTheirWay('g') }, defaults).scaleUp.result).toBe('NotNeeded');
    });
  });
});

test('a spread over hosts that is only a wish gives no precedence', () => {
  const { scaleUp } = decided(
    {
      groups: [group('g')],
      nodes: there(['n-0'], A),
      pods: [
        ...some(2, 'large', { requests: { cpu: '1900m' } }),
        ...some(1, 'small', { requests: { cpu: '500m' }, spec: { topologySpread: spread('small', 'ScheduleAnyway') } }),
      ],
    },
    'cluster-autoscaler',
  );
  expect(scaleUp.pods.map(({ outcome }) => outcome)).toEqual(['Fits', 'Fits', 'Triggered']);
});
