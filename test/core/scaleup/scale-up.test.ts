import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../core/model/decision.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import { ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { ordered } from '../../../core/model/ordered.ts';
import { keyOf } from '../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { PodKind } from '../../../core/model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../../../core/model/snapshot/snapshot.ts';
import { buildRegistry } from '../../../core/registry/registry.ts';
import { decreasing } from '../../../core/estimator/demand.ts';
import { decideScaleUp } from '../../../core/scaleup/scale-up.ts';
import { clusterSnapshot } from '../../../core/scheduling/cluster-snapshot.ts';
import { times } from '../../scenario-builders.ts';
import { clusterArb, clusterOf } from './clusters.ts';
import { evaluateSound as evaluate } from '../sound.ts';
import { cases } from '../../cases.ts';

/** As Cluster Autoscaler packs: without nodes beyond the plan. */

const GIB = 2 ** 30;

const triggered = ({ scaleUp }: Pick<Decision, 'scaleUp'>): ReadonlySet<string> =>
  new Set(scaleUp.pods.flatMap(({ pod, outcome }) => (outcome === 'Triggered' ? [pod] : [])));

/** The decision, with the simulated cluster after it. */
function simulated(scenario: Scenario) {
  const input = ordered(scenario);
  const { scaleUp, toMin, cluster } = decideScaleUp(input, buildRegistry(input));
  const nodes = cluster.snapshot.nodes.filter((info) => info !== null);
  return { scaleUp, toMin, ...cluster, nodes, fresh: nodes.filter(({ name }) => name.startsWith('planned-')) };
}

describe('no plan', () => {
  test('passes a limit: of a group, of nodes, cores, memory and GPUs of the cluster, of nodes in one decision', () => {
    let reached = 0;
    fc.assert(
      fc.property(clusterArb, fc.boolean(), fc.boolean(), (given, enforceNodeGroupMinSize, byZone) => {
        const built = clusterOf(given, {
          enforceNodeGroupMinSize,
          // Groups of all sizes then share new nodes.
          ...(byZone ? { balancingLabel: [ZONE_LABEL], balanceSimilarNodeGroups: true } : {}),
        });
        const input = {
          ...built,
          nodeGroups: built.nodeGroups.map((group, i) => ({ ...group, minSize: Math.min(i % 3, group.maxSize) })),
        };
        const { scaleUp, registry } = evaluate(input);
        const raised = [
          ...scaleUp.increases,
          ...registry.repairs.flatMap((repair) => (repair.kind === 'IncreaseToMin' ? [repair] : [])),
        ];
        const groups = new Map(input.nodeGroups.map((group) => [group.name, group]));
        for (const { group, from, to } of raised) {
          expect(from).toBeLessThan(to);
          expect(to).toBeLessThanOrEqual(groups.get(group)!.maxSize);
        }
        const added = scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
        expect(added).toBeLessThanOrEqual(input.options.maxNodesPerScaleup);
        const sizes = new Map(input.nodeGroups.map(({ name, targetSize }) => [name, targetSize]));
        const before = totals(input, sizes);
        for (const { group, to } of raised) {
          sizes.set(group, Math.max(to, sizes.get(group)!));
        }
        const after = totals(input, sizes);
        const { maxNodesTotal, coresTotal, memoryTotal, gpuTotal } = input.options;
        const limits = {
          nodes: maxNodesTotal === 0 ? Number.POSITIVE_INFINITY : maxNodesTotal,
          cores: coresTotal.max,
          gib: memoryTotal.max,
          gpus: gpuTotal.length === 0 ? Number.POSITIVE_INFINITY : gpuTotal[0]!.max,
        };
        for (const amount of ['nodes', 'cores', 'gib', 'gpus'] as const) {
          // A cluster may be past a limit from the start; it then gets no more of that.
          expect(after[amount]).toBeLessThanOrEqual(Math.max(limits[amount], before[amount]));
          reached += Number(after[amount] > before[amount] && after[amount] === limits[amount]);
        }
      }),
      { numRuns: cases(100) },
    );
    expect(reached).toBeGreaterThan(cases(5));
  });
});

/** Totals of a cluster with this many nodes of each group, and the nodes of no group. */
function totals({ nodeGroups, objects }: Scenario, sizes: ReadonlyMap<GroupName, number>) {
  const grouped = new Set(nodeGroups.flatMap(({ nodes }) => nodes));
  const all = [
    ...objects.nodes.filter(({ name }) => !grouped.has(name)).map((node) => ({ node, count: 1 })),
    ...nodeGroups.map(({ name, template }) => ({ node: template!.node, count: sizes.get(name)! })),
  ];
  const sum = (resource: string): number =>
    all.reduce((total, { node, count }) => total + (node.capacity[resource] ?? 0) * count, 0);
  return {
    nodes: all.reduce((total, { count }) => total + count, 0),
    cores: sum('cpu') / 1_000,
    gib: sum('memory') / GIB,
    gpus: sum('nvidia.com/gpu'),
  };
}

describe('every pod that is said to have a place', () => {
  test('has one in the simulated result, and the scheduler agrees', () => {
    let bought = 0;
    fc.assert(
      fc.property(clusterArb, (given) => {
        const input = clusterOf(given);
        const { scaleUp, snapshot, scheduler, nodes } = simulated(input);
        const observed = clusterSnapshot(input.objects, []);
        for (const { free, node } of nodes) {
          for (const resource in node.allocatable) {
            // Pods that were bound to a node by hand may be more than it has.
            const before = observed.byName(node.name)?.free[observed.resources.indexOf(resource)] ?? 0;
            expect(free[snapshot.resources.indexOf(resource)]).toBeGreaterThanOrEqual(Math.min(0, before));
          }
        }
        const pods = new Map(input.objects.pods.map((pod) => [keyOf(pod), pod]));
        const placed = new Map<number, number>();
        const add = (id: number, count: number): unknown => placed.set(id, (placed.get(id) ?? 0) + count);
        for (const info of nodes) {
          for (const [kind, count] of info.pods) {
            add(kind.id, count);
          }
        }
        for (const pod of pods.values()) {
          if (pod.nodeName !== null) {
            add(snapshot.kindOf(pod).id, -1);
          }
        }
        for (const { pod, outcome } of scaleUp.pods) {
          if (outcome === 'Triggered' || outcome === 'Fits') {
            bought += Number(outcome === 'Triggered');
            add(snapshot.kindOf(pods.get(pod)!).id, -1);
          }
        }
        expect([...placed.values()].filter((count) => count !== 0)).toEqual([]);
        const running = new Set(
          [...pods.values()].flatMap((pod) => (pod.nodeName === null ? [] : [snapshot.kindOf(pod)])),
        );
        const refused = nodes.flatMap((info) =>
          Array.from(info.pods.keys()).filter((kind) => {
            snapshot.remove(kind, info);
            const no = scheduler.check(kind, info);
            snapshot.place(kind, info);
            // Pods that were there may break any rule; and a node that comes later lowers the least count of a spread.
            return no !== null && !running.has(kind) && kind.spec.topologySpread.length === 0;
          }),
        );
        expect(refused).toEqual([]);
      }),
      { numRuns: cases(100) },
    );
    expect(bought).toBeGreaterThan(cases(125));
  });

  test('is of a group that grows', () => {
    fc.assert(
      fc.property(clusterArb, (given) => {
        const { scaleUp } = evaluate(clusterOf(given));
        const grown = new Set<string | undefined>(scaleUp.increases.map(({ group }) => group));
        for (const { outcome, group } of scaleUp.pods) {
          expect(outcome !== 'Triggered' || grown.has(group)).toBe(true);
        }
      }),
      { numRuns: cases(50) },
    );
  });
});

describe('with one node fewer', () => {
  test('of a single group, the same estimator leaves a pod out', () => {
    let grown = 0;
    const single = clusterArb.map((given) => ({
      ...given,
      groups: given.groups.slice(0, 1).map((group) => ({ ...group, max: group.max + 4 })),
    }));
    fc.assert(
      fc.property(single, (given) => {
        const input = clusterOf(given);
        const decision = evaluate(input);
        for (const { to } of decision.scaleUp.increases) {
          grown += 1;
          const less = evaluate({
            ...input,
            nodeGroups: input.nodeGroups.map((group) => ({ ...group, maxSize: to - 1 })),
          });
          expect(triggered(less).size).toBeLessThan(triggered(decision).size);
        }
      }),
      { numRuns: cases(150) },
    );
    expect(grown).toBeGreaterThan(cases(35));
  });

  test('of any group, the other new ones do not hold its pods, or not so that the next evaluation finds them again', () => {
    let tried = 0;
    fc.assert(
      fc.property(clusterArb, (given) => {
        const { scaleUp, snapshot, scheduler, fresh } = simulated(clusterOf(given));
        expect(fresh).toHaveLength(scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0));
        const fits = (kind: PodKind, nodes: readonly NodeInfo[]): boolean => {
          const home = nodes.find((info) => scheduler.check(kind, info) === null);
          if (home !== undefined) {
            snapshot.place(kind, home);
          }
          return home !== undefined;
        };
        const podsOf = (nodes: readonly NodeInfo[]): readonly PodKind[] => {
          const counts = new Map<PodKind, number>();
          for (const [kind, count] of nodes.flatMap(({ pods }) => [...pods])) {
            counts.set(kind, (counts.get(kind) ?? 0) + count);
          }
          const kinds = [...counts.keys()].map((kind) => ({ kind }));
          return decreasing(kinds, nodes[0]!.node.allocatable).flatMap(({ kind }) =>
            times(counts.get(kind)!, () => kind),
          );
        };
        /** Each group's pods on its own nodes, the largest first. */
        const foundAgain = (nodes: readonly NodeInfo[]): boolean => {
          const groups = [...new Set(nodes.map(({ group }) => group!))].sort();
          const loads = groups
            .map((group) => nodes.filter((info) => info.group === group))
            .map((of) => ({ of, pods: podsOf(of) }));
          for (const info of nodes) {
            for (const [kind, count] of info.pods) {
              snapshot.remove(kind, info, count);
            }
          }
          return loads.every(({ of, pods }) => pods.every((kind) => fits(kind, of)));
        };
        const anchored = (nodes: readonly NodeInfo[]): boolean =>
          nodes.every((info) =>
            Array.from(info.pods.keys()).every((kind) => {
              snapshot.remove(kind, info);
              const stays = kind.spec.podAffinity.length === 0 || scheduler.check(kind, info) === null;
              snapshot.place(kind, info);
              return stays;
            }),
          );
        for (const node of fresh) {
          tried += 1;
          const others = fresh.filter((info) => info !== node);
          const pods = podsOf([node]);
          snapshot.fork();
          snapshot.removeNode(node);
          const needless = pods.every((kind) => fits(kind, others)) && foundAgain(others) && anchored(others);
          snapshot.revert();
          expect(needless).toBe(false);
        }
      }),
      { numRuns: cases(150) },
    );
    expect(tried).toBeGreaterThan(cases(75));
  });
});

describe('the order of all lists', () => {
  test('makes no difference to a single byte', () => {
    const shuffledBy =
      (salt: number) =>
      <T>(list: readonly T[]): readonly T[] =>
        list
          .map((item, i) => ({ item, key: Math.imul(i + 1, salt * 2 + 0x9e3779b1) >>> 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
    fc.assert(
      fc.property(clusterArb, fc.nat(), (given, salt) => {
        const input = clusterOf(given);
        const shuffled = shuffledBy(salt);
        const again = {
          ...input,
          nodeGroups: shuffled(
            input.nodeGroups.map((group) => ({
              ...group,
              nodes: shuffled(group.nodes),
              instances: shuffled(group.instances),
            })),
          ),
          objects: { ...input.objects, nodes: shuffled(input.objects.nodes), pods: shuffled(input.objects.pods) },
          state: { ...input.state, scaleUpRequests: shuffled(input.state.scaleUpRequests) },
        };
        const first = evaluate(input);
        expect(JSON.stringify(evaluate(again))).toBe(JSON.stringify(first));
        // And to the evaluation that follows.
        const grown = (of: Scenario): Scenario => ({
          ...of,
          nodeGroups: of.nodeGroups.map((group) => ({
            ...group,
            targetSize: first.scaleUp.increases.find(({ group: name }) => name === group.name)?.to ?? group.targetSize,
          })),
          state: first.state,
        });
        expect(JSON.stringify(evaluate(grown(again)))).toBe(JSON.stringify(evaluate(grown(input))));
      }),
      { numRuns: cases(50) },
    );
  });
});
