import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { Taint } from '../../../../core/model/cluster/node.ts';
import { AWAITING_PODS_TAINT } from '../../../../core/model/cluster/node.ts';
import type { ScaleUpDecision } from '../../../../core/model/decision.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { Options } from '../../../../core/model/options.ts';
import { pod } from '../../../builders.ts';
import { group, type GroupGiven, scenario, times } from '../../../scenario-builders.ts';

const AWAITING: Taint = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };

const priced = (name: string, price: number, given: GroupGiven): NodeGroup => ({
  ...group(name, { max: 50, taints: [AWAITING], ...given }),
  price,
});

const COMPUTE = { cpu: '7910m', memory: '14721Mi', pods: 58 };
const MEMORY = { cpu: '7910m', memory: '61012Mi', pods: 58 };
const GROUPS = [priced('compute', 0.34, { node: COMPUTE }), priced('memory', 0.504, { node: MEMORY })];
const PLANNED: Partial<Options> = { plannedPlacement: true, expander: ['price'] };

const pods = (name: string, count: number, requests: { cpu: string; memory: string }): readonly Pod[] =>
  times(count, (i) => pod(`${name}-${i}`, { requests, owner: `ReplicaSet/${name}` }));

const PODS = [
  ...pods('busy', 40, { cpu: '1870m', memory: '1531Mi' }),
  ...pods('large', 40, { cpu: '390m', memory: '7177Mi' }),
];

const planFor = (given: Partial<Options>, groups = GROUPS, pending = PODS): ScaleUpDecision =>
  evaluate(scenario({ groups, pods: pending, options: given })).scaleUp;

const costOf = ({ increases }: ScaleUpDecision): number =>
  increases.reduce((sum, one) => sum + (one.to - one.from) * (one.group === 'memory' ? 0.504 : 0.34), 0);

describe('pods for CPU and pods for memory', () => {
  const usual = planFor({ ...PLANNED, plannedPlacement: false });
  const mixed = planFor(PLANNED);

  test('share nodes of two types where pods come to the nodes that the plan has for them', () => {
    expect(mixed.increases.map(({ group: name }) => name)).toEqual(['compute', 'memory']);
    expect(costOf(mixed)).toBeLessThan(costOf(usual) * 0.9);
    expect(mixed.pods.every(({ outcome }) => outcome === usual.pods[0]!.outcome)).toBe(true);
  });

  test('the decision says so for both groups, with what one after another would have cost', () => {
    expect(mixed.considered.map(({ winner, why }) => [winner, why])).toEqual(
      ['memory', 'compute'].map((name) => [
        name,
        `price: part of a mix of 2 groups; without a mix the new nodes cost $${costOf(usual).toFixed(3)}/h`,
      ]),
    );
    expect(mixed.considered[0]!.options.map(({ group: name }) => name)).toEqual(['compute', 'memory']);
  });

  test('the next evaluation finds all places again', () => {
    const first = scenario({ groups: GROUPS, pods: PODS, options: PLANNED });
    const { scaleUp, state } = evaluate(first);
    const to = new Map(scaleUp.increases.map((increase) => [increase.group, increase.to]));
    const next = evaluate({
      ...first,
      state,
      nodeGroups: first.nodeGroups.map((one) => ({ ...one, targetSize: to.get(one.name) ?? one.targetSize })),
    });
    expect(next.scaleUp.result).toBe('NotNeeded');
    expect(next.state.reservations).toEqual(state.reservations);
  });

  test.each([
    ['another expander decides', { ...PLANNED, expander: ['least-waste'] }, GROUPS],
    ['price decides among what another expander leaves', { ...PLANNED, expander: ['priority', 'price'] }, GROUPS],
    ['one choice is all that an evaluation makes', { ...PLANNED, salvoScaleUp: false }, GROUPS],
    [
      'new nodes do not await their pods',
      PLANNED,
      GROUPS.map((one) => ({ ...one, template: { ...one.template!, node: { ...one.template!.node, taints: [] } } })),
    ],
  ] as const)('are not mixed where %s', (_, options, groups) => {
    const without = planFor({ ...options, plannedPlacement: false }, groups);
    expect(planFor(options, groups)).toEqual(without);
  });

  test('are mixed on the groups alone whose new nodes await their pods', () => {
    const untainted = {
      ...group('open', { max: 50, node: { cpu: '7910m', memory: '29722Mi', pods: 58 } }),
      price: 0.384,
    };
    const { considered } = planFor(PLANNED, [...GROUPS, untainted]);
    const mixed = considered.filter(({ why }) => why.includes('part of a mix'));
    expect(mixed.map(({ winner }) => winner)).toEqual(['memory', 'compute']);
    expect(planFor(PLANNED, [GROUPS[0]!, untainted])).toEqual(
      planFor({ ...PLANNED, plannedPlacement: false }, [GROUPS[0]!, untainted]),
    );
  });

  test('are not mixed where that saves no more than nearTieRatio', () => {
    expect(planFor({ ...PLANNED, nearTieRatio: 0.5 })).toEqual(
      planFor({ ...PLANNED, nearTieRatio: 0.5, plannedPlacement: false }),
    );
  });

  test('no pod goes without a node for the sake of the price', () => {
    const few = [GROUPS[0]!, { ...GROUPS[1]!, maxSize: 3 }];
    const { increases, pods: outcomes } = planFor(PLANNED, few);
    expect(increases.find(({ group: name }) => name === 'memory')?.to).toBe(3);
    expect(new Set(outcomes.map(({ outcome }) => outcome)).size).toBe(1);
    expect(planFor({ ...PLANNED, maxNodesTotal: 12 }).increases.reduce((sum, { to }) => sum + to, 0)).toBe(12);
  });

  test('pods that keep apart from each other have nodes beside the mix', () => {
    const apart = times(3, (i) =>
      pod(`apart-${i}`, {
        requests: { cpu: '100m', memory: '64Mi' },
        labels: { app: 'apart' },
        owner: 'ReplicaSet/apart',
        spec: {
          podAntiAffinity: [
            {
              topologyKey: 'kubernetes.io/hostname',
              labelSelector: { matchLabels: { app: 'apart' }, matchExpressions: [] },
              namespaces: [],
              namespaceSelector: null,
              matchLabelKeys: [],
              mismatchLabelKeys: [],
            },
          ],
        },
      }),
    );
    const { pods: outcomes } = planFor(PLANNED, GROUPS, [...PODS, ...apart]);
    expect(new Set(outcomes.map(({ outcome }) => outcome)).size).toBe(1);
  });
});
