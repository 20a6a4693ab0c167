import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { Controller } from '../../../core/model/cluster/workloads.ts';
import { daemonsOf, nodesOfDaemons, runsOn } from '../../../core/nodegroups/daemon-pods.ts';
import { type Amounts, claimVolumes, container, controller, node, pod, type PodOptions } from '../../builders.ts';
import { carriedByNode } from '../../../core/nodegroups/node-templates.ts';
import { NO_OBJECTS } from '../../../core/model/scenario.ts';
import { group, scenario } from '../../scenario-builders.ts';

const daemonSet = (name: string, requests: Amounts, extra: PodOptions = {}): Controller =>
  controller(`DaemonSet/${name}`, {
    namespace: 'evil',
    template: pod(`daemonset-${name}`, { namespace: 'evil', requests, ...extra }),
  });

const decide = (controllers: readonly Controller[], ...pods: readonly Pod[]): Decision =>
  evaluate(
    scenario({ groups: [group('a'), group('b', { node: { cpu: 2, memory: '8Gi' } })], objects: { controllers }, pods }),
  );

/** A pod of the DaemonSet on a node of no group: its pods are known to get places. */
const running = ({ namespace, name, uid }: Controller): Pod =>
  pod(`${name}-1`, {
    namespace,
    node: 'elsewhere',
    controller: { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid },
  });

/** The same where pods of all DaemonSets run. */
const decideBeside = (controllers: readonly Controller[], ...pods: readonly Pod[]): Decision =>
  decide(controllers, ...pods, ...controllers.map(running));

const toleration = { key: 'k', operator: 'Exists', value: '', effect: '', tolerationSeconds: null };

const victim = (cpu: number, extra: PodOptions = {}): Pod => pod('victim', { requests: { cpu }, ...extra });

const outcome = ({ scaleUp }: Decision): string => scaleUp.pods[0]!.outcome;

describe('a DaemonSet', () => {
  it('that does not fit an empty node takes nothing from it, and is named', () => {
    const decision = decide([daemonSet('d', { cpu: 1_000 })], victim(1));
    expect(outcome(decision)).toBe('Triggered');
    expect(decision.scaleUp.skippedDaemonSets).toEqual([
      { daemonSet: 'evil/d', group: 'a', groups: 2, reason: 'its pod does not fit an empty node: Insufficient cpu' },
    ]);
  });

  it.each<[string, NonNullable<PodOptions['spec']>, string]>([
    [
      'tolerations',
      { tolerations: Array.from({ length: 300 }, () => toleration) },
      'too many tolerations: more than the 256 that are followed',
    ],
    [
      'text',
      { volumes: claimVolumes('x'.repeat(70_000)) },
      'too long a spec: more than the 65536 characters that are followed',
    ],
  ])('whose pod is not simulated for its %s closes no new node, and is named', (_, spec, reason) => {
    const decision = decide([daemonSet('d', { cpu: '10m' }, { spec })], victim(1));
    expect(outcome(decision)).toBe('Triggered');
    expect(decision.scaleUp.skippedDaemonSets).toMatchObject([{ reason: `its pod is not simulated: ${reason}` }]);
  });

  it('that fits is carried, and nothing is said', () => {
    const decision = decide([daemonSet('d', { cpu: 1 })], victim(3));
    expect(decision.scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 1 }]);
    expect(decision.scaleUp.skippedDaemonSets).toBeUndefined();
    expect(outcome(decideBeside([daemonSet('d', { cpu: 1 })], victim(4)))).toBe('Unschedulable');
  });

  it('gives way to those of higher priority where they do not fit together, of equals to the first by name', () => {
    const sets = [
      daemonSet('b', { cpu: 3 }),
      daemonSet('a', { cpu: 3 }),
      daemonSet('high', { cpu: 1 }, { spec: { priority: 9 } }),
    ];
    const { scaleUp } = decide(sets, victim(1));
    expect(scaleUp.increases).toEqual([{ group: 'b', from: 0, to: 1 }]);
    expect(
      scaleUp.skippedDaemonSets!.map(({ daemonSet: name, group: of, groups, reason }) => [name, of, groups, reason]),
    ).toEqual([
      ['evil/a', 'b', 1, 'its pod does not fit an empty node: Insufficient cpu'],
      ['evil/b', 'b', 1, 'its pod does not fit an empty node: Insufficient cpu'],
      ['evil/b', 'a', 1, 'its pod does not fit together with the DaemonSet pods before it: Insufficient cpu'],
    ]);
  });

  it('of lower priority is no reason to leave a pod without a node that it would preempt it on', () => {
    const decision = decideBeside([daemonSet('d', { cpu: 3.5 })], victim(3, { spec: { priority: 1_000 } }));
    expect(outcome(decision)).toBe('Triggered');
    expect(decision.scaleUp.skippedDaemonSets).toContainEqual({
      daemonSet: 'evil/d',
      group: 'a',
      groups: 1,
      reason: "pod default/victim of priority 1000 fits no new node of any group unless it preempts the DaemonSet's",
    });
  });

  it('that gives way is left out where that helps, and others for what kept them out before', () => {
    const sets = [daemonSet('d', { cpu: 1.5 }), daemonSet('large', { cpu: 1_000 })];
    const { skippedDaemonSets } = decideBeside(sets, victim(3, { spec: { priority: 1_000 } })).scaleUp;
    expect(
      skippedDaemonSets!.map(({ daemonSet: name, group: of, groups, reason }) => [name, of, groups, reason]),
    ).toEqual([
      ['evil/d', 'a', 1, expect.stringContaining('preempts')],
      ['evil/large', 'a', 2, 'its pod does not fit an empty node: Insufficient cpu'],
    ]);
  });

  it('that has given way to one pod does not come back for a pod of lower priority', () => {
    const sets = [
      daemonSet('low', { cpu: 2 }, { spec: { priority: 400 } }),
      daemonSet('middle', { cpu: 1.5 }, { spec: { priority: 600 } }),
    ];
    const { pods } = decideBeside(
      sets,
      pod('first', { requests: { cpu: 3 }, spec: { priority: 1_000 } }),
      pod('second', { requests: { cpu: 2.5 }, spec: { priority: 500 } }),
    ).scaleUp;
    expect(pods.map(({ outcome: of }) => of)).toEqual(['Triggered', 'Triggered']);
  });

  it('gives its place among the pods of a node, too', () => {
    const groups = [group('a', { node: { cpu: 4, memory: '16Gi', pods: 1 } })];
    const controllers = [daemonSet('d', {})];
    const { scaleUp } = evaluate(
      scenario({ groups, objects: { controllers }, pods: [victim(1, { spec: { priority: 1_000 } })] }),
    );
    expect(scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 1 }]);
  });

  it.each<[string, PodOptions]>([
    ['of the same priority', { spec: { priority: 0 } }],
    ['that does not preempt', { spec: { priority: 1_000, preemptionPolicy: 'Never' } }],
  ])('keeps its room from a pod %s', (_, extra) => {
    expect(outcome(decideBeside([daemonSet('d', { cpu: 3.5 })], victim(3, extra)))).toBe('Unschedulable');
  });

  it('keeps its room where another group does for the pod', () => {
    const { scaleUp } = decide([daemonSet('d', { cpu: 1.5 })], victim(2, { spec: { priority: 1_000 } }));
    expect(scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 1 }]);
    expect(scaleUp.skippedDaemonSets).toBeUndefined();
  });

  it('is told of in few rows, however many there are', () => {
    const sets = Array.from({ length: 2_000 }, (_, i) => daemonSet(`d${i}${'x'.repeat(200)}`, { cpu: 1_000 }));
    const { skippedDaemonSets } = decide(sets, victim(1)).scaleUp;
    expect(skippedDaemonSets).toHaveLength(32);
    expect(JSON.stringify(skippedDaemonSets).length).toBeLessThan(16_000);
  });
});

describe('the pods that come to a new node', () => {
  const set = (name: string, extra: PodOptions = {}): Controller => daemonSet(name, {}, extra);
  const kubeProxy: Controller = { ...set('kube-proxy'), namespace: 'kube-system' };
  const mirror = pod('kube-proxy-mirror', {
    namespace: 'kube-system',
    annotations: { 'kubernetes.io/config.mirror': 'x' },
  });
  const known = pod('agent-1', { namespace: 'evil', owner: 'DaemonSet/agent' });
  const agent: Controller = { ...set('agent'), uid: known.controller!.uid };
  const tainted = (key: string, effect: string) => ({ taints: [{ key, value: '', effect }] });
  const tolerant: PodOptions = { spec: { tolerations: [toleration] } };
  const onB: PodOptions = { spec: { nodeSelector: { zone: 'b' } } };

  it.each<[string, Partial<Node>, readonly Pod[], readonly Controller[], readonly string[]]>([
    ['one of each DaemonSet', {}, [], [set('a'), set('b')], ['evil/a', 'evil/b']],
    ['none of one that is not known to have any', {}, [], [{ ...set('a'), template: null }], []],
    ['one that the template has already', {}, [known], [agent], ['evil/agent']],
    ['of namesakes in other namespaces both', {}, [known], [{ ...agent, namespace: 'b' }], ['b/agent', 'evil/agent']],
    ['none that requires another node', { labels: { zone: 'a' } }, [], [set('a', onB)], []],
    ['one that requires this node', { labels: { zone: 'b' } }, [], [set('a', onB)], ['evil/a']],
    ['none that a taint keeps away', tainted('k', 'NoSchedule'), [], [set('a')], []],
    ['one that tolerates it', tainted('k', 'NoSchedule'), [], [set('a', tolerant)], ['evil/a']],
    ['one that a taint only advises against', tainted('k', 'PreferNoSchedule'), [], [set('a')], ['evil/a']],
    ...['not-ready NoExecute', 'unreachable NoExecute', 'disk-pressure NoSchedule', 'memory-pressure NoSchedule']
      .concat(['pid-pressure NoSchedule', 'unschedulable NoSchedule', 'network-unavailable NoSchedule'])
      .map((taint): [string, Partial<Node>, readonly Pod[], readonly Controller[], readonly string[]] => {
        const [key, effect] = taint.split(' ') as [string, string];
        return [`one, whatever ${taint}`, tainted(`node.kubernetes.io/${key}`, effect), [], [set('a')], ['evil/a']];
      }),
    ['none, as to not-ready NoSchedule', tainted('node.kubernetes.io/not-ready', 'NoSchedule'), [], [set('a')], []],
    ['a stand-in for kube-proxy', {}, [mirror], [], ['kube-system/kube-proxy-mirror']],
    ['kube-proxy once', {}, [mirror], [kubeProxy], ['kube-system/kube-proxy']],
    [
      'a stand-in beside a namesake',
      {},
      [mirror],
      [set('kube-proxy')],
      ['kube-system/kube-proxy-mirror', 'evil/kube-proxy'],
    ],
    ['names of bounded length', {}, [], [set('x'.repeat(300))], [`evil/${'x'.repeat(114)}…`]],
  ])('%s', (_, extra, pods, sets, expected) => {
    expect(daemonsOf(node('n', {}, extra), pods, sets).map(({ name }) => name)).toEqual(expected);
  });
});

describe('the daemons that a new node carries', () => {
  const daemon = (name: string, requests: Amounts = {}, priority = 0, extra: PodOptions = {}): Controller =>
    daemonSet(name, requests, { ...extra, spec: { priority, ...extra.spec } });
  const mirrored = pod('z', { annotations: { 'kubernetes.io/config.mirror': 'x' } });
  const onPort = (port: number): PodOptions => ({
    spec: { containers: [container({}, { hostPorts: [{ protocol: 'TCP', hostIP: '', hostPort: port }] })] },
  });
  const TOO_MANY = 'its pod does not fit together with the DaemonSet pods before it: Too many pods';
  const NO_PORT =
    "its pod does not fit together with the DaemonSet pods before it: node(s) didn't have free ports for the requested pod ports";

  it.each<[string, number, readonly Controller[], readonly Pod[], readonly string[], readonly string[]]>([
    ['all of the node', 9, [daemon('a', { cpu: 4 })], [], ['a'], []],
    ['by name', 9, [daemon('b'), daemon('a')], [], ['a', 'b'], []],
    ['by priority', 9, [daemon('a'), daemon('b', {}, 1)], [], ['b', 'a'], []],
    ['mirror pods first', 9, [daemon('a', {}, 9)], [mirrored], ['z', 'a'], []],
    ['a place for each', 2, [daemon('a'), daemon('b')], [], ['a', 'b'], []],
    ['no place for the last', 1, [daemon('a'), daemon('b')], [], ['a'], [TOO_MANY]],
    ['nothing that they do not ask for', 9, [daemon('a', { 'nvidia.com/gpu': 0 })], [], ['a'], []],
    ['one host port once', 9, [daemon('a', {}, 0, onPort(80)), daemon('b', {}, 0, onPort(80))], [], ['a'], [NO_PORT]],
  ])('%s', (_, pods, sets, known, carried, why) => {
    const on = node('n', { cpu: 4, pods });
    const found = carriedByNode(on, daemonsOf(on, known, sets), NO_OBJECTS);
    expect(found.pods.map(({ name }) => name.replace('daemonset-', ''))).toEqual(carried);
    expect(found.without.map(({ why: of }) => of)).toEqual(why);
  });
});

describe('whether a DaemonSet runs on the nodes of a group', () => {
  const AGENT = { kind: 'DaemonSet', namespace: 'default', uid: 'uid-DaemonSet/agent' } as const;
  const on = (home: string | null, extra: PodOptions = {}): Pod =>
    pod('p', { owner: 'DaemonSet/agent', ...(home !== null && { node: home }), ...extra });
  const foreign = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'DaemonSet', name: 'agent', uid: AGENT.uid };

  it.each<[string, readonly string[], readonly Pod[], boolean]>([
    ['one of its pods is there', ['n1', 'n2'], [on('n2')], true],
    ['another one of its pods is there', ['n3'], [on('n1'), on('n2'), on('n3')], true],
    ['it has none', ['n1', 'n2'], [], false],
    ['its pods are elsewhere', ['n1'], [on('n2'), on('n3')], false],
    ['its pod waits', ['n1'], [on(null)], false],
    ['the group has no nodes yet', [], [], true],
    ['a pod of another DaemonSet is there', ['n1'], [on('n1', { owner: 'DaemonSet/other' })], false],
    ['a pod of another namespace says so', ['n1'], [on('n1', { namespace: 'evil' })], false],
    ['a pod of another kind says so', ['n1'], [on('n1', { owner: 'ReplicaSet/agent' })], false],
    ['a pod of another API group says so', ['n1'], [on('n1', { controller: foreign })], false],
    ['a pod without a controller is there', ['n1'], [pod('p', { node: 'n1' })], false],
  ])('%s', (_, nodes, pods, expected) => {
    expect(runsOn(AGENT, group('g', { nodes }), nodesOfDaemons(pods))).toBe(expected);
  });
});
