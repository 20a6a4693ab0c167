import { describe, expect, test } from 'vitest';
import { groupName, nodeName } from '../../../../core/model/values/names.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import { ordered } from '../../../../core/model/ordered.ts';
import { ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import { groupTemplates } from '../../../../core/nodegroups/node-templates.ts';
import { buildRegistry } from '../../../../core/registry/registry.ts';
import { nodeCosts } from '../../../../core/disruption/consolidation/node-costs.ts';
import {
  type ConsolidationQuery,
  type SimulatedMove,
  ConsolidationSimulator,
} from '../../../../core/disruption/consolidation/consolidation-simulator.ts';
import { findRemovals } from '../../../../core/scaledown/find-removals.ts';
import { checkCandidate, removalContext, removalHold } from '../../../../core/scaledown/removal-context.ts';
import { decideScaleUp } from '../../../../core/scaleup/scale-up.ts';
import { group, type GroupGiven, NOW } from '../../../scenario-builders.ts';
import { type ClusterGiven, clusterOf, DAEMON, replica, workerNode } from '../../scaledown/cluster.ts';
import { affinityTerm, selector } from '../../../builders.ts';

const CHEAPER: ConsolidationQuery = { replace: true, maxCost: Infinity };

const priced = (name: string, price: number | null, given: GroupGiven = {}): NodeGroup => ({
  ...group(name, given),
  price,
});

/** `web` holds the nodes at 1 USD an hour each; others are given. */
const ground = (
  nodes: readonly string[],
  others: readonly NodeGroup[] = [],
): Pick<ClusterGiven, 'nodes' | 'groups'> => ({
  nodes: nodes.map((name) => workerNode(name)),
  groups: [priced('web', 1, { nodes }), ...others],
});

type SearchedContext = Parameters<typeof findRemovals>[0] & ReturnType<typeof findRemovals>;

/** Uses the search in a cluster of which no node is unneeded. */
function inCluster<T>(given: ClusterGiven, use: (simulator: ConsolidationSimulator, context: SearchedContext) => T): T {
  const scenario = ordered(clusterOf({ ...given, options: { scaleDownUtilizationThreshold: 0, ...given.options } }));
  const registry = buildRegistry(scenario);
  const { scaleUp, cluster, state } = decideScaleUp(scenario, registry);
  const hold = removalHold(scenario, scaleUp, state);
  const context = removalContext({ scenario, registry, cluster, hold }, new Set());
  const searched = { ...context, ...findRemovals(context) };
  const templates = groupTemplates(scenario);
  const costs = nodeCosts(scenario.nodeGroups, templates);
  return use(new ConsolidationSimulator({ ...searched, templates, costs }), searched);
}

const ask =
  (names: readonly string[], of: ConsolidationQuery = CHEAPER) =>
  (simulator: ConsolidationSimulator, context: SearchedContext): SimulatedMove =>
    simulator.simulate(candidatesOf(context, names), of);

const candidatesOf = (context: SearchedContext, names: readonly string[]) =>
  names.map((name) => {
    const of = context.scenario.objects.nodes.find((node) => node.name === name)!;
    const check = checkCandidate(context, of, { maxUtilization: 1 });
    if (check.kind === 'stays') {
      throw new Error(`${name}: ${check.unremovable.reason}`);
    }
    return check.candidate;
  });

const said = (outcome: SimulatedMove): string => {
  const there =
    outcome.kind === 'none' ? '' : outcome.destinations.map(({ node, pods }) => ` ${node}×${pods}`).join('');
  return outcome.kind === 'replace' ? `replace ${outcome.group} ${outcome.cost}${there}` : `${outcome.kind}${there}`;
};

const cpus = (cpu: string) => ({ requests: { cpu, memory: '1Gi' } });

describe('what if nodes went', () => {
  test('all pods move to existing nodes: no node is launched', () => {
    const given = { ...ground(['a', 'b']), pods: [replica('p', 'a', cpus('2')), replica('q', 'b', cpus('2'))] };
    expect(said(inCluster(given, ask(['a'])))).toBe('delete b×1');
  });

  test('a pod that may end with its node has what the others leave, which kube-scheduler puts on the emptiest nodes', () => {
    const all = { key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null } as const;
    const given = (tolerations: readonly (typeof all)[]) => ({
      ...ground(['a', 'b', 'c'], [priced('small', 0.4, { node: { cpu: 2, memory: '8Gi' } })]),
      pods: [
        replica('large', 'a', { ...cpus('1'), spec: { tolerations } }),
        replica('little', 'a', cpus('500m')),
        replica('q', 'b', cpus('3')),
        replica('r', 'c', cpus('3500m')),
      ],
    });
    expect(said(inCluster(given([]), ask(['a'])))).toBe('delete b×1 c×1');
    expect(said(inCluster(given([all]), ask(['a'])))).toBe('replace small 0.4 b×1');
  });

  test('an empty node is removed without more', () => {
    expect(said(inCluster({ ...ground(['a']), pods: [] }, ask(['a'])))).toBe('delete');
  });

  test('pods that fit nowhere go to one new node, of the cheapest group that holds them', () => {
    const others = [
      priced('tiny', 0.1, { node: { cpu: 1, memory: '4Gi' } }),
      priced('small', 0.4, { node: { cpu: 2, memory: '8Gi' } }),
      priced('other', 0.3, { node: { cpu: 2, memory: '8Gi' } }),
    ];
    const given = { ...ground(['a'], others), pods: [replica('p', 'a', cpus('1500m'))] };
    expect(said(inCluster(given, ask(['a'])))).toBe('replace other 0.3');
  });

  test('some of the pods move to existing nodes, the rest to the new node', () => {
    const others = [priced('small', 0.4, { node: { cpu: 2, memory: '8Gi' } })];
    const given = {
      ...ground(['a', 'b'], others),
      pods: [replica('p', 'a', cpus('2')), replica('q', 'a', cpus('500m')), replica('r', 'b', cpus('3'))],
    };
    expect(said(inCluster(given, ask(['a'])))).toBe('replace small 0.4 b×1');
  });

  test('a new node may be forbidden, or dearer than is allowed', () => {
    const others = [priced('small', 0.4, { node: { cpu: 2, memory: '8Gi' } })];
    const given = { ...ground(['a'], others), pods: [replica('p', 'a', cpus('1500m'))] };
    expect(said(inCluster(given, ask(['a'], { replace: false, maxCost: Infinity })))).toBe('none');
    expect(said(inCluster(given, ask(['a'], { replace: true, maxCost: 0.39 })))).toBe('none');
    expect(said(inCluster(given, ask(['a'], { replace: true, maxCost: 0.4 })))).toBe('replace small 0.4');
  });

  test('several nodes go to one new node, and not to each other', () => {
    const others = [priced('large', 1.2, { node: { cpu: 8, memory: '32Gi' } })];
    const given = { ...ground(['a', 'b'], others), pods: [replica('p', 'a', cpus('3')), replica('q', 'b', cpus('3'))] };
    expect(said(inCluster(given, ask(['a', 'b'])))).toBe('replace large 1.2');
  });

  test.each<[string, NodeGroup]>([
    ['is at its maximum', priced('small', 0.4, { max: 0 })],
    ['takes no launches', priced('small', 0.4, { launchSuspended: true })],
    ['is paused', priced('small', 0.4, { paused: 'by hand' })],
    ['is being updated', priced('small', 0.4, { cloudActions: ['InstanceRefresh'] })],
    ['cannot be used', priced('small', 0.4, { invalid: 'a malformed tag' })],
    ['goes as a whole', priced('small', 0.4, { options: { zeroOrMaxNodeScaling: true } })],
    ['is of another zone than pods ask for', priced('small', 0.4, { zone: 'eu-west-1b' })],
    ['has taints', priced('small', 0.4, { taints: [{ key: 'k', value: '', effect: 'NoSchedule' }] })],
  ])('a group is passed by that %s', (_, small) => {
    const zoned = priced('fallback', 0.9, { zone: 'eu-west-1a' });
    const given = {
      ...ground(['a'], [small, zoned]),
      pods: [replica('p', 'a', { ...cpus('1500m'), spec: { nodeSelector: { [ZONE_LABEL]: 'eu-west-1a' } } })],
    };
    expect(said(inCluster(given, ask(['a'])))).toBe('replace fallback 0.9');
  });

  test('a limit of the cluster counts the removed nodes: they exist until the new node is ready', () => {
    const others = [priced('small', 0.4, { node: { cpu: 2, memory: '8Gi' } })];
    const given = { ...ground(['a'], others), pods: [replica('p', 'a', cpus('1500m'))] };
    expect(said(inCluster({ ...given, options: { maxNodesTotal: 2 } }, ask(['a'])))).toBe('replace small 0.4');
    expect(said(inCluster({ ...given, options: { maxNodesTotal: 1 } }, ask(['a'])))).toBe('none');
  });

  describe('a minimum of the cluster', () => {
    const others = [priced('small', 0.4, { node: { cpu: 2, memory: '8Gi' } })];
    const given = (min: number, more: Partial<ClusterGiven> = {}): ClusterGiven => ({
      ...ground(['a', 'b'], others),
      pods: [replica('p', 'a', cpus('1500m')), replica('q', 'b', cpus('1500m')), ...FILLED],
      options: { coresTotal: { min, max: 100 } },
      ...more,
    });
    /** Pods that leave the nodes no room for another. */
    const FILLED = ['a', 'b'].map((on) => replica(`full-${on}`, on, { ...DAEMON, requests: { cpu: '2400m' } }));

    test('is kept with the new node: a smaller one that would break it is passed by', () => {
      expect(said(inCluster(given(6), ask(['a'])))).toBe('replace small 0.4');
      expect(said(inCluster(given(7), ask(['a'])))).toBe('replace web 1');
      const cheap: ConsolidationQuery = { replace: true, maxCost: 0.5 };
      expect(inCluster(given(7), ask(['a'], cheap))).toMatchObject({
        kind: 'none',
        short: 'coresTotal would fall below 7',
      });
      expect(inCluster(given(6), ask(['a'], { ...cheap, maxCost: 0.1 }))).toMatchObject({ kind: 'none', short: null });
    });

    test('is kept by all that is taken together', () => {
      const second = (simulator: ConsolidationSimulator, context: SearchedContext): string => {
        simulator.apply(candidatesOf(context, ['a']), CHEAPER);
        return said(simulator.simulate(candidatesOf(context, ['b']), CHEAPER));
      };
      expect(inCluster(given(4), second)).toBe('replace small 0.4');
      expect(inCluster(given(5), second)).toBe('replace web 1');
    });

    test('counts nodes that are being removed, and unneeded ones, as gone', () => {
      const more = {
        nodes: ['a', 'b', 'c'].map((name) => workerNode(name)),
        groups: [priced('web', 1, { nodes: ['a', 'b', 'c'] }), ...others],
      };
      const leaving = {
        deletionsInProgress: [{ node: nodeName('c'), group: groupName('web'), kind: 'empty' as const, since: NOW }],
      };
      expect(said(inCluster(given(7, { ...more, state: leaving }), ask(['a'])))).toBe('replace web 1');
      // Nothing is on it.
      const unneeded = (simulator: ConsolidationSimulator, context: SearchedContext): string => {
        expect(context.unneeded.map(({ candidate: { node } }) => node.name)).toEqual(['c']);
        return said(ask(['a'])(simulator, context));
      };
      expect(inCluster(given(7, more), unneeded)).toBe('replace web 1');
    });

    test('counts an unneeded node of an all-or-nothing group as existing while another one is needed', () => {
      const more = (used: readonly string[], idle: readonly string[] = []): Partial<ClusterGiven> => ({
        nodes: ['a', 'b', 'c', 'd', ...idle].map((name) => workerNode(name)),
        groups: [
          priced('web', 1, { nodes: ['a', 'b', ...idle] }),
          priced('all', 1, { nodes: ['c', 'd'], max: 2, options: { zeroOrMaxNodeScaling: true } }),
          ...others,
        ],
        pods: [...given(0).pods!, ...used.map((on) => replica(`used-${on}`, on, cpus('4')))],
      });
      expect(said(inCluster(given(11, more(['d'])), ask(['a'])))).toBe('replace small 0.4');
      expect(said(inCluster(given(15, more(['d'])), ask(['a'])))).toBe('replace web 1');
      expect(said(inCluster(given(7, more([])), ask(['a'])))).toBe('replace web 1');
      expect(said(inCluster(given(15, more(['d'], ['e'])), ask(['a'])))).toBe('replace web 1');
    });
  });

  test('a group in backoff is passed by', () => {
    const others = [priced('small', 0.4, { node: { cpu: 2, memory: '8Gi' } })];
    const pods = [replica('p', 'a', cpus('1500m'))];
    const until = NOW + 60_000;
    const backoff = { small: { until, duration: 60_000, lastFailure: NOW, class: 'OutOfResources' } } as never;
    expect(said(inCluster({ ...ground(['a'], others), pods, state: { backoff } }, ask(['a'])))).toBe('replace web 1');
  });

  test('what is taken is there for the next: places are not given twice, and the new node takes no more pods', () => {
    const others = [priced('small', 0.4, { node: { cpu: 2, memory: '8Gi' }, max: 1 })];
    const given = {
      ...ground(['a', 'b', 'c', 'd'], others),
      pods: [
        replica('p', 'a', cpus('1')),
        replica('q', 'b', cpus('1500m')),
        replica('r', 'c', cpus('3')),
        replica('s', 'd', cpus('400m')),
        // Fills what is left beside these.
        ...['b', 'd'].map((on) =>
          replica(`full-${on}`, on, { ...DAEMON, requests: { cpu: on === 'b' ? '2500m' : '3600m' } }),
        ),
      ],
    };
    const both = (simulator: ConsolidationSimulator, context: SearchedContext): readonly string[] => {
      const no = { replace: false, maxCost: 0 };
      const first = simulator.apply(candidatesOf(context, ['c']), no);
      const second = simulator.simulate(candidatesOf(context, ['b']), no);
      const third = simulator.apply(candidatesOf(context, ['b']), CHEAPER);
      const fourth = simulator.simulate(candidatesOf(context, ['d']), no);
      return [first, second, third, fourth].map(said);
    };
    expect(inCluster(given, both)).toEqual(['delete a×1', 'none', 'replace small 0.4', 'none']);
  });

  test('trying out leaves everything as it was', () => {
    const others = [priced('small', 0.4, { node: { cpu: 2, memory: '8Gi' } })];
    const given = {
      ...ground(['a', 'b'], others),
      pods: [replica('p', 'a', cpus('2')), replica('q', 'a', cpus('500m')), replica('r', 'b', cpus('3'))],
    };
    const twice = (simulator: ConsolidationSimulator, context: SearchedContext): boolean => {
      const picture = () =>
        JSON.stringify(
          context.cluster.snapshot.nodes.map((info) => (info === null ? null : [info.name, info.free, info.podCount])),
        );
      const before = picture();
      const first = said(ask(['a'])(simulator, context));
      const second = said(ask(['a'])(simulator, context));
      const both = said(ask(['a', 'b'])(simulator, context));
      expect([first, second, both]).toEqual(['replace small 0.4 b×1', 'replace small 0.4 b×1', 'replace web 2']);
      return picture() === before;
    };
    expect(inCluster(given, twice)).toBe(true);
  });

  test('DaemonSet pods stay behind, and those of the new node take their room', () => {
    const small = (cpu: number) => priced('small', 0.4, { node: { cpu, memory: '8Gi' }, templatePods: [] });
    const pods = [replica('p', 'a', cpus('1500m')), replica('d', 'a', DAEMON)];
    expect(said(inCluster({ ...ground(['a'], [small(2)]), pods }, ask(['a'])))).toBe('replace small 0.4');
  });

  test('pods that must keep apart do not share the new node', () => {
    const apart = { podAntiAffinity: [affinityTerm('kubernetes.io/hostname', selector({ app: 'web' }))] };
    const large = [priced('large', 0.9, { node: { cpu: 16, memory: '64Gi' } })];
    const pods = ['a', 'b'].map((on) => replica(`p-${on}`, on, { ...cpus('1'), labels: { app: 'web' }, spec: apart }));
    const on = (mostNodes: number) =>
      said(inCluster({ ...ground(['a', 'b'], large), pods }, ask(['a', 'b'], { ...CHEAPER, mostNodes })));
    expect(on(1)).toBe('none');
    expect(on(2)).toBe('replace large 1.8');
  });

  test('a group of several types counts for the dearest, and each must hold the pods', () => {
    const mixed: NodeGroup = priced('mixed', 0.4, {
      node: { cpu: 2, memory: '8Gi' },
      labels: { 'node.kubernetes.io/instance-type': 'a' },
    });
    const other = (cpu: number) =>
      group('x', { node: { cpu, memory: '8Gi' }, labels: { 'node.kubernetes.io/instance-type': 'b' } }).template!;
    const pods = [replica('p', 'a', cpus('1500m'))];
    const shapes = (cpu: number) => ({ ...ground(['a'], [{ ...mixed, alternatives: [other(cpu)] }]), pods });
    const dear = inCluster(shapes(4), ask(['a']));
    expect(dear).toMatchObject({ kind: 'replace', group: 'mixed' });
    expect(dear.kind === 'replace' && dear.cost).toBeGreaterThan(0.6);
    expect(said(inCluster(shapes(1), ask(['a'])))).toBe('replace web 1');
  });

  test('a group without a price is compared by the others, and changes none of them', () => {
    const pods = [replica('p', 'a', cpus('1500m'))];
    const at = (price: number | null) =>
      inCluster({ ...ground(['a'], [priced('cheap', 0.2), priced('other', price)]), pods }, ask(['a']));
    expect(at(0.3)).toMatchObject({ kind: 'replace', group: 'cheap' });
    expect(at(null)).toEqual(at(0.3));
  });

  test('without a price of any group size counts', () => {
    const others = [
      priced('large', null, { node: { cpu: 16, memory: '64Gi' } }),
      priced('small', null, { node: { cpu: 2, memory: '8Gi' } }),
    ];
    const given = { nodes: ground(['a']).nodes, groups: [priced('web', null, { nodes: ['a'] }), ...others] };
    const found = inCluster({ ...given, pods: [replica('p', 'a', cpus('1500m'))] }, ask(['a']));
    expect(found).toMatchObject({ kind: 'replace', group: 'small' });
  });
});
