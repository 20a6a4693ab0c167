import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Options } from '../../../core/model/options.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { PodAffinityTerm } from '../../../core/model/cluster/pod.ts';
import type { Controller } from '../../../core/model/cluster/workloads.ts';
import { claimVolumes, container, node, pod, type PodOptions, affinityTerm, selector } from '../../builders.ts';
import { group, scenario, zoneLabels } from '../../scenario-builders.ts';

const NODE = { cpu: 4, memory: '15922Mi', pods: 58 };
const ZONE = 'eu-central-1a';
const SYSTEM_PRIORITY = 2_000_001_000;

function daemonSet(namespace: string, name: string, cpu: string, spec: PodOptions['spec'] = {}): Controller {
  const uid = `uid-${namespace}-${name}`;
  const template = pod(`daemonset-${name}`, { namespace, requests: { cpu }, spec });
  return { kind: 'DaemonSet', namespace, name, uid, replicas: null, template };
}

const onNode = ({ namespace, name, uid, template }: Controller, home: string): Pod => ({
  ...pod(`${name}-${home}`, {
    namespace,
    node: home,
    controller: { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid },
  }),
  spec: template!.spec,
});

const awsNode = daemonSet('kube-system', 'aws-node', '50m', { priority: SYSTEM_PRIORITY });

const term = (over: Partial<PodAffinityTerm>): PodAffinityTerm => ({
  ...affinityTerm('kubernetes.io/hostname', selector()),
  ...over,
});
const EVERYWHERE = { matchLabels: {}, matchExpressions: [] };
const ABSENT = { matchLabels: { app: 'nothing-has-this' }, matchExpressions: [] };

const HOSTILE: readonly (readonly [string, readonly Controller[]])[] = [
  [
    'that keeps away from all pods',
    [daemonSet('evil', 'd', '0', { podAntiAffinity: [term({ namespaceSelector: EVERYWHERE })] })],
  ],
  [
    'that keeps away from all pods and has the priority of the system',
    [
      daemonSet('evil', 'd', '0', {
        podAntiAffinity: [term({ namespaceSelector: EVERYWHERE })],
        priority: SYSTEM_PRIORITY,
      }),
    ],
  ],
  [
    'that keeps away from the pods of another namespace by host',
    [daemonSet('evil', 'd', '0', { podAntiAffinity: [term({ namespaces: ['prod'] })] })],
  ],
  [
    'that keeps away from the pods of another namespace by zone',
    [
      daemonSet('evil', 'd', '0', {
        podAntiAffinity: [term({ namespaces: ['prod'], topologyKey: 'topology.kubernetes.io/zone' })],
      }),
    ],
  ],
  ['of most of a node', [daemonSet('evil', 'd', '3500m')]],
  [
    'of most of a node with the priority of the system',
    [daemonSet('evil', 'd', '3500m', { priority: SYSTEM_PRIORITY })],
  ],
  ['whose like fill the pods of a node', Array.from({ length: 58 }, (_, i) => daemonSet('evil', `d${i}`, '1m'))],
  [
    'whose like fill the pods of a node, of several namespaces',
    Array.from({ length: 180 }, (_, i) => daemonSet(`evil-${i % 3}`, `d${i}`, '0')),
  ],
  ['that is gated', [daemonSet('evil', 'd', '3500m', { schedulingGates: ['a/b'] })]],
  [
    'of another scheduler that is gated',
    [daemonSet('evil', 'd', '3500m', { schedulingGates: ['a/b'], schedulerName: 'none' })],
  ],
  ['of a scheduler that is not there', [daemonSet('evil', 'd', '3500m', { schedulerName: 'none' })]],
  ['with affinity to nothing', [daemonSet('evil', 'd', '3500m', { podAffinity: [term({ labelSelector: ABSENT })] })]],
  ['whose claim is missing', [daemonSet('evil', 'd', '3500m', { volumes: claimVolumes('missing') })]],
  [
    'of a host port that pods use',
    [
      daemonSet('evil', 'd', '0', {
        containers: [container({}, { hostPorts: [{ protocol: 'TCP', hostIP: '', hostPort: 8080 }] })],
      }),
    ],
  ],
];

const victim = (priority: number): Pod =>
  pod('victim', {
    namespace: 'prod',
    spec: {
      priority,
      containers: [container({ cpu: 1 }, { hostPorts: [{ protocol: 'TCP', hostIP: '', hostPort: 8080 }] })],
    },
  });

function decide(
  sets: readonly Controller[],
  pods: readonly Pod[],
  options: Partial<Options> = {},
  nodes: readonly string[] = ['n1'],
): Decision {
  const system = nodes.map((name) => onNode(awsNode, name));
  const web = nodes.map((name) => pod(`web-${name}`, { namespace: 'prod', node: name, requests: { cpu: '3300m' } }));
  return evaluate(
    scenario({
      groups: [group('g', { node: NODE, zone: ZONE, nodes })],
      nodes: nodes.map((name) => node(name, NODE, { labels: zoneLabels(ZONE) })),
      pods: [...system, ...web, ...pods],
      objects: { controllers: [awsNode, ...sets] },
      options,
    }),
  );
}

const outcomeOf = ({ scaleUp: { pods, increases } }: Decision): readonly unknown[] => [
  pods.find(({ pod: key }) => key === 'prod/victim')?.outcome,
  increases.map(({ to }) => to),
];

describe.each([
  ['forceDs', { forceDs: true }],
  ['without forceDs', { forceDs: false }],
] as const)('%s: a DaemonSet of one namespace', (_name, options) => {
  it.each(HOSTILE)('%s keeps no pod of another namespace from a new node', (_, sets) => {
    for (const priority of [0, 2_000_000_000]) {
      expect(outcomeOf(decide(sets, [victim(priority)], options))).toEqual(['Triggered', [2]]);
      expect(outcomeOf(decide(sets, [victim(priority)], options, []))).toEqual(['Triggered', [1]]);
    }
  });
});

describe('DaemonSets on new nodes', () => {
  const large = daemonSet('apps', 'agent', '3500m');

  it('that run on nodes of the group keep their capacity, and a pod that lacks it is told which of them take it', () => {
    const small = daemonSet('apps', 'small', '200m');
    const decision = decide([large, small], [victim(0), onNode(large, 'n1'), onNode(small, 'n1')]);
    expect(outcomeOf(decision)).toEqual(['Unschedulable', []]);
    expect(decision.scaleUp.pods.find(({ pod: key }) => key === 'prod/victim')!.reasons).toEqual([
      {
        group: 'g',
        reason: 'Insufficient cpu: apps/agent takes 3500m, apps/small 200m, kube-system/aws-node 50m of each node',
      },
    ]);
  });

  it('that run on nodes of another group are those that a group without nodes is expected to have', () => {
    expect(outcomeOf(decide([large], [victim(0), onNode(large, 'elsewhere')], {}, []))).toEqual(['Unschedulable', []]);
  });

  it('of kube-system keep their capacity before any of their pods runs', () => {
    expect(outcomeOf(decide([daemonSet('kube-system', 'agent', '3500m')], [victim(0)]))[0]).toBe('Unschedulable');
  });

  it('that run nowhere keep their capacity as long as no pod needs it', () => {
    const decision = decide([daemonSet('apps', 'agent', '1')], [victim(0), { ...victim(0), name: 'another' }]);
    expect(decision.scaleUp.increases).toMatchObject([{ to: 3 }]);
    expect(decision.scaleUp.skippedDaemonSets).toBeUndefined();
  });

  it('are named where new nodes are planned without them', () => {
    expect(decide([large], [victim(0)]).scaleUp.skippedDaemonSets).toEqual([
      {
        daemonSet: 'apps/agent',
        group: 'g',
        groups: 1,
        reason:
          "pod prod/victim fits no new node of any group together with the DaemonSet's, which is not known to run on such nodes",
      },
    ]);
  });

  it('are not made of a pod that calls itself a daemon on one node', () => {
    const claimed: PodOptions = {
      namespace: 'evil',
      node: 'n1',
      requests: { cpu: '3500m' },
      annotations: { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true' },
    };
    for (const extra of [{}, { owner: 'ReplicaSet/d' }]) {
      const decision = evaluate(
        scenario({
          groups: [{ ...group('g', { node: NODE, nodes: ['n1', 'n2'] }), template: null }],
          nodes: ['n1', 'n2'].map((name) => node(name, NODE)),
          pods: [victim(0), pod('d', { ...claimed, ...extra }), pod('web', { node: 'n2', requests: { cpu: '3500m' } })],
        }),
      );
      expect(outcomeOf(decision)).toEqual(['Triggered', [3]]);
    }
  });

  it('that keep pods apart are named by the pods that they keep away', () => {
    const apart = daemonSet('apps', 'agent', '0', { podAntiAffinity: [term({ namespaces: ['prod'] })] });
    const decision = decide([apart], [victim(0), onNode(apart, 'n1')]);
    expect(decision.scaleUp.pods[0]!.reasons).toEqual([
      { group: 'g', reason: "node(s) didn't satisfy existing pods anti-affinity rules: apps/agent on each node" },
    ]);
  });
});
