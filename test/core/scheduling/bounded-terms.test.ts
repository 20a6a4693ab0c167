import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { termLimits, withBoundedTerms } from '../../../core/scheduling/bounded-terms.ts';
import { HOSTNAME_LABEL } from '../../../core/model/cluster/node.ts';
import type { Pod, PodAffinityTerm, PodSpec } from '../../../core/model/cluster/pod.ts';
import type { Controller } from '../../../core/model/cluster/workloads.ts';
import { affinityTerm, clusterObjects, node, pod, POD_SPEC, selector, spreadConstraint } from '../../builders.ts';
import { group, scenario, times } from '../../scenario-builders.ts';

const NODES = 3;
const { ofNamespace: OF_NAMESPACE, ofCluster: OF_CLUSTER } = termLimits(NODES);
const OF_POD = 50;
/** Pods with terms of their own that reach the limit of a namespace. */
const PODS = Math.floor(OF_NAMESPACE / OF_POD);

const term = (name: string): PodAffinityTerm =>
  affinityTerm(HOSTNAME_LABEL, selector({}, { key: name, operator: 'Exists', values: [] }), selector());

/** As many terms as `OF_POD`, of which no pod of another name has one. */
const terms = (name: string): Partial<PodSpec> => ({ podAntiAffinity: times(OF_POD, (i) => term(`${name}-${i}`)) });

const of = (namespace: string, count: number): readonly Pod[] =>
  times(count, (i) =>
    pod(`p-${String(i).padStart(4, '0')}`, { namespace, requests: { cpu: '1m' }, spec: terms(`${namespace}-${i}`) }),
  );

const nodes = times(NODES, (i) => node(`n-${i}`, { cpu: 4, memory: '16Gi' }));

/** The names of the pods that are not followed. */
function beyond(pods: readonly Pod[]): readonly string[] {
  return withBoundedTerms(clusterObjects({ nodes, pods })).pods.flatMap(({ namespace, name, spec }) =>
    spec.excess === undefined ? [] : `${namespace}/${name}`,
  );
}

describe('the terms of a namespace', () => {
  it('are all followed up to the limit, and the objects stay the same ones', () => {
    const objects = clusterObjects({ nodes, pods: of('a', PODS) });
    expect(withBoundedTerms(objects)).toBe(objects);
  });

  it('are followed for the first pods by name where all are alike', () => {
    expect(beyond(of('a', PODS + 2).toReversed())).toEqual([`a/p-00${PODS + 1}`, `a/p-00${PODS}`]);
  });

  it('are followed for pods on nodes first, then for the specs of the most pods', () => {
    const bound = pod('z-bound', { namespace: 'a', node: 'n-1', spec: terms('bound') });
    const replicas = times(3, (i) => ({ ...pod(`y-replica-${i}`, { namespace: 'a' }), spec: replicated }));
    expect(beyond([...of('a', PODS), ...replicas, bound])).toEqual([`a/p-00${PODS - 2}`, `a/p-00${PODS - 1}`]);
  });

  it('count a tenth where another spec has the same: pods of a StatefulSet differ in their claims', () => {
    const alike = (count: number) =>
      times(count, (i) => pod(`db-${i}`, { namespace: 'a', requests: { cpu: `${i + 1}m` }, spec: terms('db') }));
    const most = Math.floor((OF_NAMESPACE - OF_POD) / (OF_POD / 10)) + 1;
    expect(beyond(alike(most))).toEqual([]);
    expect(beyond(alike(most + 1))).toHaveLength(1);
  });

  it('include those of topology spread and of the templates of DaemonSets', () => {
    const spread = spreadConstraint('zone', selector({ app: 'x' }), { whenUnsatisfiable: 'ScheduleAnyway' });
    const template = pod('d', { namespace: 'a', spec: { ...terms('d'), topologySpread: [spread] } });
    const daemonSet: Controller = { kind: 'DaemonSet', namespace: 'a', name: 'd', uid: 'd', replicas: null, template };
    const excessBeside = (pods: readonly Pod[]) =>
      withBoundedTerms(clusterObjects({ nodes, pods, controllers: [daemonSet] })).controllers[0]!.template!.spec.excess;
    expect(excessBeside(of('a', PODS))).toMatch(/^too many distinct terms/);
    expect(excessBeside(of('b', PODS))).toBeUndefined();
    const spreadOnly = times(OF_NAMESPACE + 1, (i) =>
      pod(`s-${i}`, { namespace: 'a', spec: { topologySpread: [{ ...spread, topologyKey: `zone-${i}` }] } }),
    );
    expect(beyond(spreadOnly)).toHaveLength(1);
  });
});

const replicated: PodSpec = { ...POD_SPEC, ...terms('replicated') };

describe('the terms of a cluster', () => {
  it('are shared fairly: a namespace with few terms keeps them all', () => {
    const hostile = times(Math.ceil(OF_CLUSTER / OF_NAMESPACE) + 1, (i) => of(`evil-${i}`, PODS + 5)).flat();
    const names = beyond([...hostile, ...of('small', 3)]);
    expect(names.filter((name) => name.startsWith('small/'))).toEqual([]);
    const followed = (hostile.length - names.length) * OF_POD;
    expect(followed).toBeLessThanOrEqual(OF_CLUSTER);
    // Each namespace has less than a pod's terms left over.
    expect(followed).toBeGreaterThan(OF_CLUSTER - 3 * OF_POD - (OF_CLUSTER / OF_NAMESPACE + 3) * OF_POD);
  });
});

describe('pods beyond the limit', () => {
  const hostile = of('evil', PODS + 10).toReversed();
  const victims = times(3, (i) => pod(`web-${i}`, { requests: { cpu: 3 }, spec: terms(`web-${i}`) }));
  const runningBeyond = times(2, (i) =>
    pod(`x-${i}`, { namespace: 'other', node: `n-${i}`, requests: { cpu: 2 }, spec: terms(`x-${i}`) }),
  );
  const groups = [group('g', { nodes: nodes.map(({ name }) => name), max: 20 })];

  it('are not simulated, and name the limit; pods of other namespaces get their nodes', () => {
    const { scaleUp, unexpectedErrors } = evaluate(
      scenario({ groups, nodes, pods: [...hostile, ...victims, ...runningBeyond] }),
    );
    expect(unexpectedErrors).toBeUndefined();
    const outcomes = new Map(scaleUp.pods.map((one) => [one.pod as string, one]));
    expect(victims.map(({ name }) => outcomes.get(`default/${name}`)!.outcome)).not.toContain('Unschedulable');
    expect(JSON.stringify(outcomes.get(`evil/p-00${PODS + 9}`))).toContain(
      `too many distinct terms of pod affinity and topology spread in namespace evil: more than the ${OF_NAMESPACE} that are followed`,
    );
    expect(scaleUp.pods.filter(({ outcome }) => outcome === 'Unschedulable')).toHaveLength(10);
  });

  it('are one kind where they request the same', () => {
    const kinds = new Set(
      withBoundedTerms(clusterObjects({ nodes, pods: hostile }))
        .pods.filter(({ spec }) => spec.excess !== undefined)
        .map(({ spec: { excess } }) => excess),
    );
    expect(kinds.size).toBe(1);
  });
});
