import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Decision } from '../../../../core/model/decision.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { Options } from '../../../../core/model/options.ts';
import { groupName } from '../../../../core/model/values/names.ts';
import { minutes } from '../../../../core/model/values/time.ts';
import { node, type PodOptions } from '../../../builders.ts';
import { group, type GroupGiven, times } from '../../../scenario-builders.ts';
import { ago, type ClusterGiven, clusterOf, replica } from '../../scaledown/cluster.ts';

const REPLACE: Partial<Options> = { consolidation: 'replace', scaleDownUtilizationThreshold: 0 };

/** A pod of 1.1 cpu that has run for a day. */
const running = (name: string, on: string, more: PodOptions = {}) => ({
  ...replica(name, on, { requests: { cpu: '1100m', memory: '1Gi' }, ...more }),
  startedAt: ago(24 * 60),
  createdAt: ago(24 * 60),
});

const decide = (given: ClusterGiven): Decision => {
  const decision = evaluate(clusterOf(given));
  expect(decision.unexpectedErrors).toBeUndefined();
  return decision;
};

/** `n0,n1>group` for each replacement. */
const done = ({ state }: Decision): string =>
  (state.disruptions ?? []).map(({ nodes, replacement }) => `${nodes.join(',')}>${replacement}`).join(' ');

const doneWith = (given: ClusterGiven): string => done(decide(given));

const why = (decision: Decision, name: string): string =>
  decision.scaleDown.unremovable.find(({ node: of }) => of === name)?.message ?? '';

const ON_DEMAND = { cpu: 4, memory: '15986Mi' } as const;
const SPOT = { cpu: 4, memory: '15942Mi' } as const;
const capacity = (value: string) => ({ 'eks.amazonaws.com/capacityType': value });
const fallback = (given: GroupGiven = {}, price: number | null = 0.192): NodeGroup => ({
  ...group('web-on-demand', { node: ON_DEMAND, labels: capacity('ON_DEMAND'), nodes: ['od'], ...given }),
  price,
});
const spot = (given: GroupGiven = {}, price: number | null = 0.0713): NodeGroup => ({
  ...group('web-spot', { node: SPOT, labels: capacity('SPOT'), ...given }),
  price,
});
/** Six hours ago Spot capacity was short, and the on-demand node was launched. Pods have come to the cluster ten minutes ago. */
const short = (given: Partial<ClusterGiven> = {}): ClusterGiven => ({
  nodes: [node('od', ON_DEMAND, { createdAt: ago(6 * 60 - 3), labels: capacity('ON_DEMAND') })],
  groups: [fallback(), spot()],
  pods: times(3, (i) => running(`p-${i}`, 'od')),
  options: { ...REPLACE, expander: ['price'] },
  state: { lastEvaluation: ago(1), lastScaleUp: ago(10) },
  ...given,
});
const tiers = (onDemand: number, ofSpot: number) => ({
  configMaps: [
    {
      namespace: 'kube-system',
      name: 'cluster-autoscaler-priority-expander',
      data: {},
      priorities: {
        ok: true as const,
        value: [
          { priority: onDemand, patterns: ['.*-on-demand'] },
          { priority: ofSpot, patterns: ['.*-spot'] },
        ],
      },
    },
  ],
});
const failed = (before: number) => ({
  lastEvaluation: ago(1),
  lastScaleUp: ago(10),
  backoff: {
    'web-spot': { until: ago(before - 5), duration: minutes(5), lastFailure: ago(before), class: 'OutOfResources' },
  } as never,
});
const withPods = (spec: NonNullable<PodOptions['spec']>): ClusterGiven =>
  short({ pods: times(3, (i) => running(`p-${i}`, 'od', { spec })) });

describe('on-demand nodes that Spot nodes of the same size could replace', () => {
  test('a Spot node replaces an on-demand node where the expander chooses Spot', () => {
    const { state } = decide(short());
    expect(state.disruptions).toMatchObject([
      { nodes: ['od'], replacement: 'web-spot', basis: 'price', saving: 0.1207, moves: 3 },
    ]);
    expect(state.disruptions![0]!.maxCost).toBeGreaterThan(0.17);
  });

  test('with the expander priority, the order of its tiers decides', () => {
    const options = { ...REPLACE, expander: ['priority' as const] };
    expect(doneWith(short({ options, objects: tiers(10, 50) }))).toBe('od>web-spot');
    const preferred = decide(short({ options, objects: tiers(50, 10) }));
    expect(done(preferred)).toBe('');
    expect(why(preferred, 'od')).toContain('the expander does not choose that group');
  });

  test('an on-demand group that the expander prefers counts at its maximum, too', () => {
    const options = { ...REPLACE, expander: ['priority' as const] };
    const groups = [fallback({ max: 1 }), spot()];
    expect(doneWith(short({ options, groups, objects: tiers(50, 10) }))).toBe('');
    expect(doneWith(short({ options, groups, objects: tiers(10, 50) }))).toBe('od>web-spot');
  });

  test('of several Spot groups it is the one that the expander chooses, though another is cheaper', () => {
    const objects = {
      configMaps: tiers(10, 20).configMaps.map((one) => ({
        ...one,
        priorities: {
          ok: true as const,
          value: [...one.priorities.value, { priority: 70, patterns: ['^steady-spot$'] }],
        },
      })),
    };
    const steady = { ...spot(), name: groupName('steady-spot'), price: 0.0847 };
    const options = { ...REPLACE, expander: ['priority' as const], balanceSimilarNodeGroups: false };
    expect(doneWith(short({ options, groups: [fallback(), spot(), steady], objects }))).toBe('od>steady-spot');
  });

  const kept: readonly (readonly [string, ClusterGiven, string])[] = [
    [
      'the expanders choose on-demand as readily',
      short({ options: { ...REPLACE, expander: ['most-pods'] } }),
      'the expander does not choose that group',
    ],
    [
      'the expander external has not been asked about running pods',
      short({ options: { ...REPLACE, expander: ['external', 'price'] } }),
      'the expander does not choose that group',
    ],
    ['launches of the Spot group failed 20 minutes ago', short({ state: failed(20) }), 'for another 10m'],
    ['the Spot group is in backoff', short({ state: failed(4) }), 'nor on a new node that would save more'],
    [
      'the price of on-demand nodes is not known',
      short({ groups: [fallback({}, null), spot(), { ...group('dear', { max: 0, node: ON_DEMAND }), price: 0.2496 }] }),
      'its price or that of the Spot node is not known',
    ],
    ['Spot is not cheaper by enough', short({ groups: [fallback(), spot({}, 0.1861)] }), ''],
    [
      'its pods may not run on Spot nodes',
      withPods({ nodeSelector: { 'eks.amazonaws.com/capacityType': 'ON_DEMAND' } }),
      'nor on a new node that would save more',
    ],
    [
      'its pods prefer on-demand nodes by node affinity',
      withPods({
        preferredNodeAffinity: [
          {
            weight: 3,
            term: {
              matchExpressions: [{ key: 'eks.amazonaws.com/capacityType', operator: 'In', values: ['ON_DEMAND'] }],
              matchFields: [],
            },
          },
        ],
      }),
      'prefer nodes as they are on',
    ],
    [
      'a PreferNoSchedule taint of Spot nodes keeps its pods away',
      short({ groups: [fallback(), spot({ taints: [{ key: 'spot', value: 'true', effect: 'PreferNoSchedule' }] })] }),
      'prefer nodes as they are on',
    ],
    [
      'its group launches both, and a share of it is on demand',
      short({ groups: [{ ...fallback({ labels: {} }), capacityType: null }, spot()] }),
      '',
    ],
    ['its group is consolidated by removals alone', short({ options: { ...REPLACE, consolidation: 'delete' } }), ''],
  ];
  test.each(kept)('stay: %s', (_, given, message) => {
    const decision = decide(given);
    expect(done(decision)).toBe('');
    expect(why(decision, 'od')).toContain(message);
  });

  test('they go half an hour after the last failure of the Spot group', () => {
    expect(doneWith(short({ state: failed(31) }))).toBe('od>web-spot');
  });

  test('they go where the pods tolerate the taint of Spot nodes', () => {
    const taints = [{ key: 'spot', value: 'true', effect: 'PreferNoSchedule' as const }];
    const tolerations = [{ key: 'spot', operator: 'Exists', value: '', effect: '' }] as never;
    expect(doneWith({ ...withPods({ tolerations }), groups: [fallback(), spot({ taints })] })).toBe('od>web-spot');
  });

  test('several go together with the least-waste of fewer Spot nodes, each as the expander chooses', () => {
    const names = ['od-1', 'od-2', 'od-3'];
    const given = short({
      nodes: names.map((name) => node(name, ON_DEMAND, { createdAt: ago(600), labels: capacity('ON_DEMAND') })),
      groups: [fallback({ nodes: names }), spot()],
      pods: names.map((name) => running(`p-${name}`, name)),
    });
    expect(doneWith(given)).toContain('>web-spot');
  });
});
