import { describe, expect, it, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import {
  boundedPodSpec,
  boundedRequests,
  LONGEST_SPEC,
  POD_SPEC_LIMITS,
  reducedPodSpec,
  TOO_LONG,
  podSpecExcess,
} from '../../../../core/model/cluster/bounded-pod-spec.ts';
import { specRequests } from '../../../../core/model/cluster/pod-requests.ts';
import { ZONE_LABEL } from '../../../../core/model/cluster/node.ts';
import type { Pod, PodAffinityTerm, PodSpec } from '../../../../core/model/cluster/pod.ts';
import type { LabelSelector } from '../../../../core/model/cluster/selectors.ts';
import { selectorKeys } from '../../../../core/model/snapshot/pod-kind.ts';
import { Snapshot } from '../../../../core/model/snapshot/snapshot.ts';
import { affinityTerm, claimVolumes, container, node, pod, POD_SPEC, selector } from '../../../builders.ts';
import { group, NOW, scenario, times } from '../../../scenario-builders.ts';

const term = (i: number, labelSelector: LabelSelector = selector({ [`k${i}`]: 'v' })): PodAffinityTerm =>
  affinityTerm(ZONE_LABEL, labelSelector);

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

/** Makes a spec with this many of something. */
const SPECS: readonly (readonly [what: string, most: number, make: (count: number) => Partial<PodSpec>])[] = [
  ['pod affinity terms', POD_SPEC_LIMITS.affinityTerms, (count) => ({ podAntiAffinity: times(count, term) })],
  [
    'node affinity terms',
    POD_SPEC_LIMITS.nodeAffinityTerms,
    (count) => ({ nodeAffinity: times(count, () => ({ matchExpressions: [], matchFields: [] })) }),
  ],
  [
    'topology spread constraints',
    POD_SPEC_LIMITS.spreadConstraints,
    (count) => ({ topologySpread: times(count, constraint) }),
  ],
  ['tolerations', POD_SPEC_LIMITS.tolerations, (count) => ({ tolerations: times(count, toleration) })],
  [
    'volumes',
    POD_SPEC_LIMITS.volumes,
    (count) => ({ volumes: times(count, (i) => ({ kind: 'hostPath', name: `v${i}` })) }),
  ],
  ['containers', POD_SPEC_LIMITS.containers, (count) => ({ containers: times(count, () => container()) })],
  [
    'host ports',
    POD_SPEC_LIMITS.hostPorts,
    (count) => ({
      containers: [
        container({}, { hostPorts: times(count, (i) => ({ hostIP: '', hostPort: i + 1, protocol: 'TCP' })) }),
      ],
    }),
  ],
  ['requested resources', POD_SPEC_LIMITS.resources, (count) => ({ containers: [container(amounts(count))] })],
  ['label requirements', POD_SPEC_LIMITS.requirements, (count) => ({ podAffinity: [term(0, wide(count))] })],
  [
    'values of label requirements',
    POD_SPEC_LIMITS.values,
    (count) => ({ podAffinity: [term(0, selector({}, { key: 'k', operator: 'In', values: times(count, String) }))] }),
  ],
];

describe.each(SPECS)('%s', (what, most, make) => {
  it(`are all followed up to ${most}`, () => {
    const spec = { ...POD_SPEC, ...make(most) };
    expect(boundedPodSpec(spec).spec).toBe(spec);
  });

  it('of one more pod bound nothing but what is said of it', () => {
    const { spec, tooMany } = boundedPodSpec({ ...POD_SPEC, ...make(most + 1) });
    expect(tooMany).toBe(`too many ${what}: more than the ${most} that are followed`);
    expect(JSON.stringify(spec).length).toBeLessThan(30_000);
  });
});

const plainTerm = term(0, selector({}));
const preferred = <T>(what: T) => ({ weight: 1, ...what });
const noNodeTerm = { matchExpressions: [], matchFields: [] };
const requirement = (values: number) => ({ key: 'k', operator: 'In', values: times(values, String) });
const requirements = (count: number) => times(count, () => requirement(0));
const spread = (extra: Partial<PodSpec['topologySpread'][number]>) => ({
  topologySpread: [{ ...constraint(0), ...extra }],
});
const ports = (count: number, from = 0) =>
  times(count, (i) => ({ hostIP: '', hostPort: from + i + 1, protocol: 'TCP' }));

/** Everywhere that something may stand in: all places count together. */
const PLACES: readonly (readonly [
  what: string,
  most: number,
  makes: Readonly<Record<string, (count: number) => Partial<PodSpec>>>,
])[] = [
  [
    'pod affinity terms',
    POD_SPEC_LIMITS.affinityTerms,
    {
      podAffinity: (count) => ({ podAffinity: times(count, () => plainTerm) }),
      podAntiAffinity: (count) => ({ podAntiAffinity: times(count, () => plainTerm) }),
      preferredPodAffinity: (count) => ({ preferredPodAffinity: times(count, () => preferred({ term: plainTerm })) }),
      preferredPodAntiAffinity: (count) => ({
        preferredPodAntiAffinity: times(count, () => preferred({ term: plainTerm })),
      }),
    },
  ],
  [
    'node affinity terms',
    POD_SPEC_LIMITS.nodeAffinityTerms,
    {
      nodeAffinity: (count) => ({ nodeAffinity: times(count, () => noNodeTerm) }),
      preferredNodeAffinity: (count) => ({
        preferredNodeAffinity: times(count, () => preferred({ term: noNodeTerm })),
      }),
    },
  ],
  [
    'containers',
    POD_SPEC_LIMITS.containers,
    {
      containers: (count) => ({ containers: times(count, () => container()) }),
      initContainers: (count) => ({ initContainers: times(count, () => container()) }),
    },
  ],
  [
    'host ports',
    POD_SPEC_LIMITS.hostPorts,
    {
      containers: (count) => ({ containers: [container({}, { hostPorts: ports(count) })] }),
      initContainers: (count) => ({ initContainers: [container({}, { hostPorts: ports(count, 1_000) })] }),
    },
  ],
  [
    'requested resources',
    POD_SPEC_LIMITS.resources,
    {
      overhead: (count) => ({ overhead: amounts(count) }),
      containers: (count) => ({ containers: [container(amounts(count))] }),
      initContainers: (count) => ({ initContainers: [container(amounts(count))] }),
      podRequests: (count) => ({ podRequests: amounts(count) }),
    },
  ],
  [
    'label requirements',
    POD_SPEC_LIMITS.requirements,
    {
      nodeSelector: (count) => ({ nodeSelector: wide(count).matchLabels }),
      podAffinity: (count) => ({ podAffinity: [term(0, wide(count))] }),
      podAntiAffinity: (count) => ({ podAntiAffinity: [term(0, wide(count))] }),
      preferredPodAffinity: (count) => ({ preferredPodAffinity: [preferred({ term: term(0, wide(count)) })] }),
      preferredPodAntiAffinity: (count) => ({ preferredPodAntiAffinity: [preferred({ term: term(0, wide(count)) })] }),
      expressions: (count) => ({ podAffinity: [term(0, selector({}, ...requirements(count)))] }),
      namespaceSelector: (count) => ({ podAffinity: [{ ...plainTerm, namespaceSelector: wide(count) }] }),
      matchLabelKeys: (count) => ({ podAffinity: [{ ...plainTerm, matchLabelKeys: times(count, String) }] }),
      mismatchLabelKeys: (count) => ({ podAffinity: [{ ...plainTerm, mismatchLabelKeys: times(count, String) }] }),
      'node expressions': (count) => ({ nodeAffinity: [{ matchExpressions: requirements(count), matchFields: [] }] }),
      'node fields': (count) => ({ nodeAffinity: [{ matchExpressions: [], matchFields: requirements(count) }] }),
      'preferred node expressions': (count) => ({
        preferredNodeAffinity: [preferred({ term: { matchExpressions: requirements(count), matchFields: [] } })],
      }),
      'spread selector': (count) => spread({ labelSelector: wide(count) }),
      'spread matchLabelKeys': (count) => spread({ matchLabelKeys: times(count, String) }),
    },
  ],
  [
    'values of label requirements',
    POD_SPEC_LIMITS.values,
    {
      podAffinity: (count) => ({ podAffinity: [term(0, selector({}, requirement(count)))] }),
      namespaces: (count) => ({ podAntiAffinity: [{ ...plainTerm, namespaces: times(count, String) }] }),
      'node expressions': (count) => ({ nodeAffinity: [{ matchExpressions: [requirement(count)], matchFields: [] }] }),
      'node fields': (count) => ({ nodeAffinity: [{ matchExpressions: [], matchFields: [requirement(count)] }] }),
    },
  ],
];

describe.each(PLACES)('%s', (what, most, makes) => {
  const said = `too many ${what}: more than the ${most} that are followed`;

  it.each(Object.entries(makes))('of %s are followed up to the limit, and no more', (_, make) => {
    const spec = { ...POD_SPEC, ...make(most) };
    expect(boundedPodSpec(spec).spec).toBe(spec);
    expect(boundedPodSpec({ ...POD_SPEC, ...make(most + 1) }).tooMany).toBe(said);
  });

  it('of different places count together, but for the same resources', () => {
    const [first, second] = Object.values(makes);
    const sum = { ...POD_SPEC, ...first!(most), ...second!(1) };
    expect(boundedPodSpec(sum).tooMany).toBe(what === 'requested resources' ? null : said);
  });
});

it('resources that are asked for by several names in several places count together', () => {
  const names = (from: number, count: number) =>
    Object.fromEntries(times(count, (i) => [`example.com/r${from + i}`, 1]));
  const spec = (count: number): PodSpec => ({
    ...POD_SPEC,
    overhead: names(0, 1),
    containers: times(40, () => container(names(1, 15))),
    initContainers: [container(names(16, count))],
  });
  expect(boundedPodSpec(spec(16)).tooMany).toBeNull();
  expect(boundedPodSpec(spec(17)).tooMany).toBe('too many requested resources: more than the 32 that are followed');
  const overhead = { ...spec(16), overhead: names(100, 2) };
  expect(boundedPodSpec(overhead).tooMany).toBe('too many requested resources: more than the 32 that are followed');
});

it('requests are added up for no more resources than are followed, CPU and memory first', () => {
  const spec: PodSpec = {
    ...POD_SPEC,
    overhead: { cpu: 5, 'a.com/overhead': 1 },
    containers: times(2, () => container({ ...amounts(40), cpu: '100m' })),
    initContainers: [container({ ...amounts(1_000), memory: 7 })],
    podRequests: Object.fromEntries(times(40, (i) => [`hugepages-${i}`, 1])),
  };
  const requests = specRequests(spec);
  expect(Object.keys(requests).length).toBeLessThanOrEqual(POD_SPEC_LIMITS.resources);
  expect(requests).toMatchObject({
    cpu: 205,
    memory: 7,
    'a.com/overhead': 1,
    'example.com/r0': 2,
    'example.com/r1': 2,
  });
});

it('a spec is followed up to its length, and no more', () => {
  const spec = (name: string): PodSpec => ({ ...POD_SPEC, volumes: claimVolumes(name) });
  const room = LONGEST_SPEC - JSON.stringify(spec('')).length;
  expect(podSpecExcess(spec('x'.repeat(room)))).toBeNull();
  expect(podSpecExcess(spec('x'.repeat(room + 1)))).toBe(TOO_LONG);
});

describe('what is left of a pod of which not everything is followed', () => {
  const { affinityTerms, hostPorts, requirements: mostRequirements, values: mostValues, volumes } = POD_SPEC_LIMITS;
  const left = (spec: Partial<PodSpec>) => reducedPodSpec({ ...POD_SPEC, ...spec }, 'why');
  const claim = (length: number) => claimVolumes('x'.repeat(length))[0]!;
  const longestClaim = 1_024 - JSON.stringify(claim(0)).length;
  const restartable = container({}, { restartable: true, hostPorts: ports(1, 500) });

  test.each<[string, Partial<PodSpec>, Partial<Record<'terms' | 'ports' | 'volumes', number>>, boolean]>([
    ['as many terms as are followed', { podAntiAffinity: times(affinityTerms, term) }, { terms: affinityTerms }, false],
    ['one more term', { podAntiAffinity: times(affinityTerms + 1, term) }, { terms: affinityTerms }, true],
    ['as many requirements', { podAntiAffinity: [term(0, wide(mostRequirements))] }, { terms: 1 }, false],
    ['one more requirement', { podAntiAffinity: [term(0, wide(mostRequirements + 1))] }, {}, true],
    ['as many values', { podAntiAffinity: [term(0, selector({}, requirement(mostValues)))] }, { terms: 1 }, false],
    ['one more value', { podAntiAffinity: [term(0, selector({}, requirement(mostValues + 1)))] }, {}, true],
    ['as many ports', { containers: [container({}, { hostPorts: ports(hostPorts) })] }, { ports: hostPorts }, false],
    ['one more port', { containers: [container({}, { hostPorts: ports(hostPorts + 1) })] }, { ports: hostPorts }, true],
    ['the ports of a sidecar', { initContainers: [restartable] }, { ports: 1 }, false],
    ['none of an init container', { initContainers: [{ ...restartable, restartable: false }] }, {}, false],
    ['as many volumes', { volumes: times(volumes, () => claim(1)) }, { volumes }, false],
    ['one more volume', { volumes: times(volumes + 1, () => claim(1)) }, { volumes }, true],
    ['the longest volume', { volumes: [claim(longestClaim)] }, { volumes: 1 }, false],
    ['a longer volume', { volumes: [claim(longestClaim + 1)] }, {}, true],
  ])('%s', (_, spec, kept, closesNode) => {
    const { spec: of, closesNode: closes } = left(spec);
    expect({
      terms: of.podAntiAffinity.length,
      ports: of.containers.flatMap((one) => one.hostPorts).length,
      volumes: of.volumes.length,
    }).toEqual({ terms: 0, ports: 0, volumes: 0, ...kept });
    expect(closes).toBe(closesNode);
  });

  it('is its priority, for those that it may preempt or that may preempt it', () => {
    expect(left({ priority: 7 })).toMatchObject({ spec: { priority: 7 }, tooMany: 'why' });
  });
});

describe('requests', () => {
  const others = (count: number) => Object.fromEntries(times(count, (i) => [`a${String(99 - i)}`, i]));
  const essential = { cpu: 1, memory: 2, 'ephemeral-storage': 3 };

  it('are all followed up to the limit, as they are', () => {
    const requests = { ...others(POD_SPEC_LIMITS.resources - 3), ...essential };
    expect(boundedRequests(requests)).toBe(requests);
  });

  it('of more are those of the first names, and always cpu, memory and ephemeral storage', () => {
    const kept = boundedRequests({ ...others(POD_SPEC_LIMITS.resources), ...essential });
    expect(Object.keys(kept)).toHaveLength(POD_SPEC_LIMITS.resources);
    expect(kept).toMatchObject(essential);
    expect(Object.keys(kept)).toEqual(expect.arrayContaining(['a68', 'a96']));
    expect(kept).not.toHaveProperty('a97');
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

it('label keys that no pod has cost nothing: pods are searched by their own labels', () => {
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
