import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { affinityTerm, budget, controllerRef, node, pod, type PodOptions, selector } from '../../builders.ts';
import { group, NOW, scenario, times } from '../../scenario-builders.ts';

/** The longest text in a decision, in UTF-16 code units. */
function longestText(value: unknown): number {
  if (typeof value === 'string') {
    return value.length;
  }
  return typeof value === 'object' && value !== null
    ? Math.max(0, ...Object.entries(value).map(([key, inner]) => Math.max(key.length, longestText(inner))))
    : 0;
}

const victim = (extra: PodOptions = {}): Pod => pod('victim', { requests: { cpu: 4 }, ...extra });

/** Decides with a node that has room for small pods, in a group that can grow. */
const decide = (pods: readonly Pod[], given: Parameters<typeof scenario>[0] = {}): Decision =>
  evaluate(
    scenario({
      groups: [group('a', { nodes: ['n1', 'n2'] })],
      nodes: [node('n1', { cpu: 3, memory: '16Gi' }), node('n2', { cpu: 3, memory: '16Gi' })],
      pods,
      ...given,
    }),
  );

const rowOf = ({ scaleUp }: Decision, name: string) => scaleUp.pods.find(({ pod: key }) => key.endsWith(`/${name}`))!;

describe('what users write', () => {
  const LONG = 'x'.repeat(300_000);

  it.each<[string, PodOptions]>([
    ['a claim', { spec: { volumes: [{ kind: 'claim', name: 'v', claimName: LONG, readOnly: false }] } }],
    ['a controller', { owner: `ReplicaSet/${LONG}`, node: 'n1', startedAt: NOW }],
    [
      'the controller of pods that go together',
      { owner: `Job/${LONG}`, requests: { cpu: 100 }, annotations: { 'outrigger.dev/atomic': 'true' } },
    ],
    ['a scheduler', { spec: { schedulerName: LONG } }],
    ['a selector', { spec: { podAntiAffinity: [affinityTerm('zone', selector({ [LONG]: LONG }))] } }],
    [
      'an annotation',
      { node: 'n1', startedAt: NOW, annotations: { 'karpenter.sh/do-not-disrupt': `${'9'.repeat(60)}h` } },
    ],
    ['resources', { requests: Object.fromEntries(times(5_000, (i) => [`example.com/r${i}`, 1])) }],
  ])('is clipped in what is said about it: %s', (_, extra) => {
    const decision = decide([victim(), pod('evil', { namespace: 'evil', requests: { cpu: 0.01 }, ...extra })]);
    expect(rowOf(decision, 'victim').outcome).toBe('Triggered');
    expect(longestText({ ...decision, state: null })).toBeLessThanOrEqual(700);
  });

  it.each(['2500000000h', '2562047h', `${'1'.repeat(200_000)}!`])(
    'as a duration does not end the evaluation (%#)',
    (value) => {
      const annotations = {
        'karpenter.sh/do-not-disrupt': value,
        'cluster-autoscaler.kubernetes.io/pod-scale-up-delay': value,
      };
      const decision = decide([
        victim(),
        pod('running', { namespace: 'evil', node: 'n1', startedAt: NOW, annotations }),
        pod('waiting', { namespace: 'evil', createdAt: NOW, annotations }),
      ]);
      expect(rowOf(decision, 'victim').outcome).toBe('Triggered');
    },
  );

  it('as the names of very many PodDisruptionBudgets is counted', () => {
    const budgets = times(2_600, (i) =>
      budget({ namespace: 'evil', name: `${i}-${'n'.repeat(240)}`, selector: selector({ app: 'a' }) }),
    );
    const running = pod('p', {
      namespace: 'evil',
      node: 'n1',
      labels: { app: 'a' },
      owner: 'ReplicaSet/p',
      startedAt: NOW,
    });
    const { scaleDown } = decide([running], {
      objects: { podDisruptionBudgets: budgets },
      options: { skipNodesWithCustomControllerPods: false },
    });
    const { message } = scaleDown.unremovable.find(({ reason }) => reason === 'BlockedByPod')!;
    expect(message).toMatch(
      /^several PodDisruptionBudgets cover it \(0-n+… and 2599 more\), and the API server evicts/,
    );
    expect(message!.length).toBeLessThanOrEqual(300);
  });
});

it("another namespace's pod does not become part of a set that goes together by claiming its controller", () => {
  const owned = (name: string, namespace: string, cpu: number): Pod =>
    pod(name, {
      namespace,
      requests: { cpu },
      controller: controllerRef('Job/train'),
      annotations: { 'outrigger.dev/atomic': 'true' },
    });
  const decision = decide([owned('a', 'prod', 3), owned('b', 'prod', 3), owned('c', 'evil', 1_000)], {
    nodes: [],
    groups: [group('a')],
  });
  expect(decision.scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 2 }]);
  expect(rowOf(decision, 'c').outcome).toBe('Unschedulable');
});

it('pods of another namespace do not stand in for the replicas of a controller whose uid they claim', () => {
  const web = (name: string, namespace: string): Pod =>
    pod(name, { namespace, requests: { cpu: 4 }, owner: 'ReplicaSet/web' });
  const controllers = [
    {
      kind: 'ReplicaSet' as const,
      namespace: 'default',
      name: 'web',
      uid: 'uid-ReplicaSet/web',
      replicas: 1,
      template: null,
    },
  ];
  const evicted = { ...web('web-1', 'default'), nodeName: nodeName('gone') };
  const decide2 = (pods: readonly Pod[]): Decision =>
    decide(pods, { nodes: [], groups: [group('a')], objects: { controllers }, state: { recentEvictions: [evicted] } });
  expect(decide2([]).scaleUp.increases).toEqual([{ group: 'a', from: 0, to: 1 }]);
  expect(decide2([{ ...web('web-1', 'evil'), nodeName: nodeName('elsewhere') }]).scaleUp.increases).toEqual([
    { group: 'a', from: 0, to: 1 },
  ]);
});

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'a node, a group and an instance called %s are like any other',
  (name) => {
    const named = (of: string): Decision =>
      evaluate(
        scenario({
          groups: [
            group(of, {
              min: 1,
              nodes: [of],
              instances: [
                { id: instanceId(of), node: nodeName(of), zone: null, state: 'Running', error: null },
                { id: instanceId(`${of}-2`), node: null, zone: null, state: 'Running', error: null },
              ],
            }),
          ],
          nodes: [node(of, { cpu: 4, memory: '16Gi' })],
          pods: [victim()],
          options: { scaleDownDelayTypeLocal: true },
        }),
      );
    const plain = JSON.stringify(named('plain')).replaceAll('plain', name);
    expect(JSON.stringify(named(name))).toBe(plain);
    expect(groupName(name) in named(name).registry.groups).toBe(true);
  },
);
