import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { followed, MOST_FOLLOWED } from '../../../core/model/followed.ts';
import { ZONE_LABEL } from '../../../core/model/node.ts';
import type { Pod, PodAffinityTerm, PodSpec } from '../../../core/model/pod.ts';
import type { LabelSelector } from '../../../core/model/selectors.ts';
import { selectorKeys } from '../../../core/model/snapshot/pod-kind.ts';
import { Snapshot } from '../../../core/model/snapshot/snapshot.ts';
import { container, node, pod, POD_SPEC, selector } from '../../builders.ts';
import { group, NOW, scenario, times } from '../../scenario-builders.ts';

const term = (i: number, labelSelector: LabelSelector = selector({ [`k${i}`]: 'v' })): PodAffinityTerm => ({
  topologyKey: ZONE_LABEL,
  labelSelector,
  namespaces: [],
  namespaceSelector: null,
  matchLabelKeys: [],
  mismatchLabelKeys: [],
});

const constraint = (i: number) => ({
  maxSkew: 1,
  topologyKey: `x/${i}`,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: null,
  minDomains: null,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
});

const toleration = (i: number) => ({
  key: `k${i}`,
  operator: 'Exists',
  value: '',
  effect: '',
  tolerationSeconds: null,
});

const wide = (count: number): LabelSelector => ({
  matchLabels: Object.fromEntries(times(count, (i) => [`k${i}`, 'v'])),
  matchExpressions: [],
});

const amounts = (count: number) => Object.fromEntries(times(count, (i) => [`example.com/r${i}`, 1]));

/** Makes a spec with so many of something. */
const SPECS: readonly (readonly [what: string, most: number, make: (count: number) => Partial<PodSpec>])[] = [
  ['pod affinity terms', MOST_FOLLOWED.affinityTerms, (count) => ({ podAntiAffinity: times(count, term) })],
  [
    'node affinity terms',
    MOST_FOLLOWED.nodeAffinityTerms,
    (count) => ({ nodeAffinity: times(count, () => ({ matchExpressions: [], matchFields: [] })) }),
  ],
  [
    'topology spread constraints',
    MOST_FOLLOWED.spreadConstraints,
    (count) => ({ topologySpread: times(count, constraint) }),
  ],
  ['tolerations', MOST_FOLLOWED.tolerations, (count) => ({ tolerations: times(count, toleration) })],
  [
    'volumes',
    MOST_FOLLOWED.volumes,
    (count) => ({ volumes: times(count, (i) => ({ kind: 'hostPath', name: `v${i}` })) }),
  ],
  ['containers', MOST_FOLLOWED.containers, (count) => ({ containers: times(count, () => container()) })],
  [
    'host ports',
    MOST_FOLLOWED.hostPorts,
    (count) => ({
      containers: [
        container({}, { hostPorts: times(count, (i) => ({ hostIP: '', hostPort: i + 1, protocol: 'TCP' })) }),
      ],
    }),
  ],
  ['requested resources', MOST_FOLLOWED.resources, (count) => ({ containers: [container(amounts(count))] })],
  ['label requirements', MOST_FOLLOWED.requirements, (count) => ({ podAffinity: [term(0, wide(count))] })],
  [
    'values of label requirements',
    MOST_FOLLOWED.values,
    (count) => ({ podAffinity: [term(0, selector({}, { key: 'k', operator: 'In', values: times(count, String) }))] }),
  ],
];

describe.each(SPECS)('%s', (what, most, make) => {
  it(`are all followed up to ${most}`, () => {
    const spec = { ...POD_SPEC, ...make(most) };
    expect(followed(spec).spec).toBe(spec);
  });

  it('of one more pod bound nothing but what is said of it', () => {
    const { spec, tooMany } = followed({ ...POD_SPEC, ...make(most + 1) });
    expect(tooMany).toBe(`too many ${what}: more than the ${most} that are followed`);
    expect(JSON.stringify(spec).length).toBeLessThan(30_000);
  });
});

const evil = (spec: Partial<PodSpec>, home?: string): Pod =>
  pod('evil', {
    namespace: 'evil',
    owner: 'ReplicaSet/evil',
    startedAt: NOW,
    spec,
    ...(home !== undefined && { node: home }),
  });

const MANY = 10_000;
const NODES = [node('n1', { cpu: 4, memory: '16Gi' }), node('n2', { cpu: 4, memory: '16Gi' })];

const decide = (...pods: readonly Pod[]) =>
  evaluate(
    scenario({
      groups: [group('a', { nodes: ['n1', 'n2'] })],
      nodes: NODES,
      pods,
      options: { skipNodesWithCustomControllerPods: false },
    }),
  );

describe('a pod of which not everything is followed', () => {
  it('gets no node while it waits, and a reason', () => {
    const { pods } = decide(
      evil({ podAntiAffinity: times(MANY, term), containers: [container({ cpu: 4 })] }),
      pod('other', { requests: { cpu: 3 }, node: 'n1' }),
      pod('another', { requests: { cpu: 3 }, node: 'n2' }),
    ).scaleUp;
    expect(pods[0]).toMatchObject({ outcome: 'Unschedulable' });
    expect(decide(evil({ podAntiAffinity: times(MANY, term) })).scaleUp.pods[0]!.reasons).toContainEqual({
      group: 'a',
      reason: 'node(s) were not simulated: too many pod affinity terms: more than the 64 that are followed',
    });
  });

  it('keeps its node, with the reason', () => {
    expect(decide(evil({ tolerations: times(MANY, toleration) }, 'n1')).scaleDown.unremovable).toContainEqual({
      node: 'n1',
      reason: 'NoPlaceToMovePods',
      pod: 'evil/evil',
      message: 'the pod is not simulated: too many tolerations: more than the 256 that are followed',
    });
  });

  it('takes the room on its node that it asks for, of however many containers', () => {
    const containers = times(400, () => container({ cpu: '9m' }));
    const { pods } = decide(
      evil({ containers }, 'n1'),
      pod('victim', { requests: { cpu: 1 } }),
      pod('n', { node: 'n2', requests: { cpu: 4 } }),
    ).scaleUp;
    expect(pods).toEqual([{ pod: 'default/victim', outcome: 'Triggered', group: 'a' }]);
  });

  it('takes no other pod beside it where it may keep it away, and lets a new node be bought', () => {
    const full = pod('full', { node: 'n2', requests: { cpu: 4 } });
    const victim = pod('victim', { requests: { cpu: 1 } });
    const outcome = (spec: Partial<PodSpec>) => decide(evil(spec, 'n1'), full, victim).scaleUp.pods[0]!.outcome;
    expect(outcome({ podAntiAffinity: times(MANY, term) })).toBe('Triggered');
    expect(outcome({ topologySpread: times(MANY, constraint) })).toBe('Fits');
  });
});

it('label keys that no pod has cost nothing: pods are looked through by their own labels', () => {
  let asked = 0;
  const counted = (labels: object) =>
    new Proxy(labels, {
      getOwnPropertyDescriptor: (target, key) => {
        asked += 1;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
      get: (target, key) => {
        asked += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
  const selecting = times(100, (i) => pod(`s${i}`, { spec: { podAntiAffinity: times(64, (k) => term(i * 64 + k)) } }));
  const plain = times(100, (i) => pod(`p${i}`, { labels: counted({ app: 'a', k3: `${i % 2}` }) as Pod['labels'] }));
  const snapshot = new Snapshot(selectorKeys(selecting));
  const kinds = new Set(plain.map((of) => snapshot.kindOf(of)));
  expect(kinds.size).toBe(2);
  expect(asked).toBeLessThan(1_000);
});
