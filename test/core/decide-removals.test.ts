import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeName } from '../../core/model/values/names.ts';
import { HOSTNAME_LABEL } from '../../core/model/cluster/node.ts';
import { ordered } from '../../core/model/ordered.ts';
import type { Pod, PodSpec } from '../../core/model/cluster/pod.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { PodKind } from '../../core/model/snapshot/pod-kind.ts';
import type { Snapshot } from '../../core/model/snapshot/snapshot.ts';
import { buildRegistry } from '../../core/registry/registry.ts';
import { decideRemovals } from '../../core/decide-removals.ts';
import { decideScaleUp } from '../../core/scaleup/scale-up.ts';
import { affinityTerm, budget, selector, spreadConstraint } from '../builders.ts';
import { group, removalOf, times } from '../scenario-builders.ts';
import { ago, AT_ONCE, clusterOf, DAEMON, workerNode, notReady, replica } from './scaledown/cluster.ts';
import { evaluateSound as evaluate } from './sound.ts';
import { cases } from '../cases.ts';

const APPS = ['a', 'b', 'c'] as const;

/** Ways in which pods care about each other, by app. */
const MANNERS: readonly ((app: string) => Partial<PodSpec>)[] = [
  () => ({}),
  (app) => ({ podAntiAffinity: [affinityTerm(HOSTNAME_LABEL, selector({ app }))] }),
  (app) => ({ topologySpread: [spreadConstraint(HOSTNAME_LABEL, selector({ app }), { maxSkew: 2 })] }),
];

const podArb = fc.record({
  app: fc.constantFrom(...APPS),
  cpu: fc.integer({ min: 1, max: 9 }),
  kind: fc.constantFrom(...times(8, () => 'replica' as const), 'daemon', 'daemon', 'bare', 'waiting'),
});

const nodeArb = fc.record({
  ready: fc.boolean().map((no) => !no || true),
  group: fc.integer({ min: 0, max: 2 }),
  pods: fc.array(podArb, { maxLength: 5 }),
  since: fc.option(fc.integer({ min: 1, max: 30 })),
});

const givenArb = fc.record({
  nodes: fc.array(nodeArb, { minLength: 1, maxLength: 9 }),
  sick: fc.constantFrom(0, 0, 0, 1, 2, 5),
  minimums: fc.tuple(...times(3, () => fc.constantFrom(0, 0, 1, 2))),
  manners: fc.tuple(...APPS.map(() => fc.integer({ min: 0, max: MANNERS.length - 1 }))),
  budgets: fc.array(fc.record({ app: fc.constantFrom(...APPS), allowed: fc.integer({ min: 0, max: 4 }) }), {
    maxLength: 2,
  }),
  leaving: fc.option(fc.integer({ min: 0, max: 8 })),
  wait: fc.constantFrom(0, 10),
  all: fc.integer({ min: 0, max: 6 }),
  drains: fc.integer({ min: 0, max: 6 }),
  threshold: fc.constantFrom(0.5, 1),
  local: fc.boolean(),
});

type Given = typeof givenArb extends fc.Arbitrary<infer T> ? T : never;

function scenarioOf(given: Given): Scenario {
  const nameOf = (i: number): string => `n${i}`;
  const pods = given.nodes.flatMap(({ pods: own }, n) =>
    own.map(({ app, cpu, kind }, p): Pod => {
      const name = `${kind}-${n}-${p}`;
      const requests = { cpu: `${cpu * 100}m` };
      const labels = { app };
      const spec = MANNERS[given.manners[APPS.indexOf(app)]!]!(app);
      switch (kind) {
        case 'daemon':
          return replica(name, nameOf(n), { ...DAEMON, requests });
        case 'bare':
          return { ...replica(name, nameOf(n), { requests, labels, spec }), controller: null };
        case 'waiting':
          return {
            ...replica(name, nameOf(n), { requests, labels, spec }),
            nodeName: null,
            phase: 'Pending',
            ready: false,
            unscheduled: { reason: 'Unschedulable', since: null },
          };
        case 'replica':
          return replica(name, nameOf(n), { requests, labels, spec });
      }
    }),
  );
  const groups = times(3, (g) =>
    group(`g${g}`, {
      nodes: given.nodes.flatMap((node, n) => (node.group === g ? [nameOf(n)] : [])),
      min: given.minimums[g]!,
      max: 20,
    }),
  );
  const leaving = given.leaving !== null && given.leaving < given.nodes.length ? given.leaving : null;
  return clusterOf({
    nodes: given.nodes.map((_, n) => (n < given.sick ? notReady : workerNode)(nameOf(n))),
    pods,
    groups,
    objects: {
      podDisruptionBudgets: given.budgets.map(({ app, allowed }, i) =>
        budget({ name: `b${i}`, selector: selector({ app }), disruptionsAllowed: allowed }),
      ),
    },
    options: {
      ...(given.wait === 0 ? AT_ONCE : { scaleDownUnneededTime: (given.wait * 60_000) as never }),
      maxScaleDownParallelism: given.all,
      maxDrainParallelism: given.drains,
      scaleDownUtilizationThreshold: given.threshold,
      scaleDownDelayTypeLocal: given.local,
    },
    state: {
      unneededSince: Object.fromEntries(
        given.nodes.flatMap(({ since }, n) => (since === null ? [] : [[nameOf(n), ago(since)]])),
      ),
      deletionsInProgress:
        leaving === null
          ? []
          : [removalOf(nodeName(nameOf(leaving)), groups[given.nodes[leaving]!.group]!.name, { since: ago(1) })],
    },
  });
}

const scenarios = givenArb.map(scenarioOf);

/** Pods by kind, and what is free at least. */
function totals(snapshot: Snapshot): {
  readonly pods: Map<PodKind, number>;
  readonly overcommitted: readonly string[];
} {
  const pods = new Map<PodKind, number>();
  const overcommitted: string[] = [];
  for (const info of snapshot.nodes) {
    if (info !== null) {
      for (const [kind, count] of info.pods) {
        pods.set(kind, (pods.get(kind) ?? 0) + count);
      }
      if (info.free.some((left) => left < 0)) {
        overcommitted.push(info.name);
      }
    }
  }
  return { pods, overcommitted };
}

describe('laws of scale-down', () => {
  test('nothing that is planned breaks a limit', () => {
    fc.assert(
      fc.property(scenarios, (input) => {
        const { scaleDown, registry, state } = evaluate(input);
        const { removals, unneeded, unremovable, result } = scaleDown;
        const { options, nodeGroups, objects } = input;
        const going = new Set<string>(removals.map(({ node }) => node));

        const left = unneeded.length + removals.length + Object.keys(state.unneededSince).length;
        expect(registry.clusterHealthy || (result === 'ClusterUnhealthy' && left === 0)).toBe(true);
        expect(result === 'Planned').toBe(removals.length > 0);
        expect(Object.keys(state.unneededSince)).toEqual(unneeded);

        for (const { name, minSize, targetSize } of nodeGroups) {
          const leaving = state.deletionsInProgress.filter(({ group: of }) => of === name).length;
          const begun = removals.filter(({ group: of }) => of === name).length;
          expect(begun === 0 || targetSize - leaving >= minSize).toBe(true);
        }
        const drains = state.deletionsInProgress.filter(({ kind }) => kind === 'drain').length;
        expect(removals.length === 0 || state.deletionsInProgress.length <= options.maxScaleDownParallelism).toBe(true);
        expect(removals.every(({ kind }) => kind === 'empty') || drains <= options.maxDrainParallelism).toBe(true);

        // Nodes that go are unneeded, and nothing moves to unneeded nodes.
        for (const { node, pods, destinations, kind } of removals) {
          expect(unneeded).toContain(node);
          expect(kind === 'empty').toBe(pods.length === 0);
          expect(destinations.reduce((sum, to) => sum + to.pods, 0)).toBe(pods.length);
          expect(destinations.filter((to) => unneeded.includes(to.node))).toEqual([]);
        }

        // Every node of the cluster either goes, is unneeded, or has a reason to stay; what goes has none.
        const reasons = new Set<string>(unremovable.map(({ node }) => node));
        const complete = result === 'Planned' || result === 'Nothing';
        const unclear = objects.nodes.filter(({ name }) => going.has(name) === reasons.has(name));
        expect(complete ? unclear : []).toEqual([]);

        // Each budget has something left for every node but for the one that is drained last.
        for (const { selector: of, disruptionsAllowed } of objects.podDisruptionBudgets) {
          const app = of!.matchLabels['app'];
          const counts = removals.map(
            ({ pods }) =>
              objects.pods.filter(
                (pod) => pods.some((key) => key === `${pod.namespace}/${pod.name}`) && pod.labels['app'] === app,
              ).length,
          );
          const sum = counts.reduce((all, count) => all + count, 0);
          expect(sum === 0 || sum - Math.max(...counts) < disruptionsAllowed).toBe(true);
        }
      }),
      { numRuns: cases(150) },
    );
  });

  test('pods that move are all somewhere else, and fit there', () => {
    fc.assert(
      fc.property(scenarios, (given) => {
        const scenario = ordered(given);
        const registry = buildRegistry(scenario);
        const { scaleUp, cluster, state } = decideScaleUp(scenario, registry);
        const before = totals(cluster.snapshot);
        const gone = new Map<PodKind, number>();
        const none = { stored: [], accepted: [], deferred: new Map() };
        const disruptions = { ...none, podsWithoutReadyNode: new Set<never>(), capacityConflicts: new Map() };
        const { scaleDown } = decideRemovals({ scenario, registry, scaleUp, cluster, state, disruptions });
        for (const pod of cluster.objects.pods) {
          if (
            pod.controller?.kind === 'DaemonSet' &&
            pod.nodeName !== null &&
            scaleDown.unneeded.includes(pod.nodeName) &&
            // A node that nothing has to leave is taken for gone as it is.
            cluster.snapshot.byName(pod.nodeName)!.podCount === 0
          ) {
            const kind = cluster.snapshot.kindOf(pod);
            gone.set(kind, (gone.get(kind) ?? 0) + 1);
          }
        }
        const after = totals(cluster.snapshot);
        for (const [kind, count] of before.pods) {
          expect((after.pods.get(kind) ?? 0) + (gone.get(kind) ?? 0)).toBe(count);
        }
        expect(after.overcommitted.filter((name) => !before.overcommitted.includes(name))).toEqual([]);
      }),
      { numRuns: cases(150) },
    );
  });

  test('the order of what is given does not matter', () => {
    fc.assert(
      fc.property(scenarios, fc.infiniteStream(fc.nat()), (input, stream) => {
        const shuffled = <T>(list: readonly T[]): readonly T[] =>
          list
            .map((item) => ({ item, at: stream.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item);
        const { objects } = input;
        const other: Scenario = {
          ...input,
          nodeGroups: shuffled(input.nodeGroups).map((of) => ({
            ...of,
            nodes: shuffled(of.nodes),
            instances: shuffled(of.instances),
          })),
          objects: {
            ...objects,
            nodes: shuffled(objects.nodes),
            pods: shuffled(objects.pods),
            controllers: shuffled(objects.controllers),
            podDisruptionBudgets: shuffled(objects.podDisruptionBudgets),
          },
        };
        expect(JSON.stringify(evaluate(other))).toBe(JSON.stringify(evaluate(input)));
      }),
      { numRuns: cases(50) },
    );
  });
});

test('a cluster shrinks step by step to what its pods need, and buys nothing on the way', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 2 }),
      (pods, min) => {
        // Eight pods fill a node.
        const load = new Map(pods.map((count, n) => [`n${String(n).padStart(2, '0')}`, count]));
        const all = pods.reduce((sum, count) => sum + count, 0);
        for (let round = 0; round <= pods.length + 1; round++) {
          const nodes = [...load.keys()];
          const input = clusterOf({
            nodes: nodes.map((name) => workerNode(name)),
            pods: nodes.flatMap((name) => times(load.get(name)!, (i) => replica(`p-${name}-${i}`, name))),
            group: { min },
            options: { scaleDownUtilizationThreshold: 1 },
          });
          const { scaleUp, scaleDown } = evaluate(input);
          expect(scaleUp.increases).toEqual([]);
          for (const { node, destinations } of scaleDown.removals) {
            for (const to of destinations) {
              load.set(to.node, load.get(to.node)! + to.pods);
            }
            load.delete(node);
          }
          if (scaleDown.removals.length === 0) {
            break;
          }
        }
        expect([...load.values()].reduce((sum, count) => sum + count, 0)).toBe(all);
        expect(load.size).toBe(Math.max(Math.ceil(all / 8), Math.min(min, pods.length)));
      },
    ),
    { numRuns: cases(50) },
  );
});
