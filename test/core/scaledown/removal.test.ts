import { describe, expect, test } from 'vitest';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import type { PodAffinityTerm, TopologySpreadConstraint } from '../../../core/model/cluster/pod.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { affinityTerm, claimVolumes, pod, selector, spreadConstraint } from '../../builders.ts';
import { group, running } from '../../scenario-builders.ts';
import { ago, type ClusterGiven, DAEMON, decide, goes, workerNode, notReady, replica, stays, WEB } from './cluster.ts';

/** `n1` is used by a little, `n2` and `n3` by more than half, as are the others that a row names. */
const full = (on: string, cpu: number | string = 3) => replica(`full-${on}`, on, { requests: { cpu } });
const nodes = [workerNode('n1'), workerNode('n2'), workerNode('n3')];
const used = [full('n2'), full('n3')];

const apart = (topologyKey: string): PodAffinityTerm => affinityTerm(topologyKey, selector({ app: 'web' }));
const spread = (maxSkew: number, nodeTaintsPolicy = 'Ignore'): TopologySpreadConstraint =>
  spreadConstraint(HOSTNAME_LABEL, selector({ app: 'web' }), { maxSkew, nodeTaintsPolicy });
const web = { labels: { app: 'web' } };
const port = (hostPort: number) => ({
  spec: {
    containers: [
      { name: 'c', requests: {}, hostPorts: [{ hostIP: '', hostPort, protocol: 'TCP' }], restartable: false },
    ],
  },
});

type Row = readonly [what: string, given: Partial<ClusterGiven>, removed: readonly string[], n1: string | undefined];

describe('whether the pods of a node find another place (simulator/cluster.go)', () => {
  test.each<Row>([
    ['room on both', { pods: [...used, replica('p', 'n1')] }, ['n1'], undefined],
    [
      'too large for either',
      { pods: [...used, replica('p', 'n1', { requests: { cpu: '1100m' } })] },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'three of four pods find one',
      { pods: [...used, ...['p', 'q', 'r'].map((name) => replica(name, 'n1', { requests: { cpu: '600m' } }))] },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'one on each',
      { pods: [...used, ...['p', 'q'].map((name) => replica(name, 'n1', { requests: { cpu: '600m' } }))] },
      ['n1'],
      undefined,
    ],
    ['DaemonSet pods need none', { pods: [...used, pod('d', { node: 'n1', ...DAEMON })] }, ['n1'], undefined],
    [
      'mirror pods need none',
      { pods: [...used, pod('m', { node: 'n1', annotations: { 'kubernetes.io/config.mirror': 'x' } })] },
      ['n1'],
      undefined,
    ],
    ['finished pods need none', { pods: [...used, pod('f', { node: 'n1', phase: 'Succeeded' })] }, ['n1'], undefined],
    [
      'expendable pods need none, and keep nothing',
      { pods: [...used, pod('e', { node: 'n1', requests: { cpu: 2 }, spec: { priority: -11 } })] },
      ['n1'],
      undefined,
    ],
    [
      'a label that only this node has',
      {
        nodes: [workerNode('n1', { labels: { disk: 'ssd' } }), workerNode('n2'), workerNode('n3')],
        pods: [...used, replica('p', 'n1', { spec: { nodeSelector: { disk: 'ssd' } } })],
      },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'taints on the others',
      {
        nodes: [
          workerNode('n1'),
          ...['n2', 'n3'].map((name) =>
            workerNode(name, { taints: [{ key: 'gpu', value: '', effect: 'NoSchedule' }] }),
          ),
        ],
        pods: [...used, replica('p', 'n1')],
      },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'the others are cordoned',
      {
        nodes: [workerNode('n1'), ...['n2', 'n3'].map((name) => workerNode(name, { unschedulable: true }))],
        pods: [...used, replica('p', 'n1')],
      },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'the others are not ready, and have no taint',
      { nodes: [workerNode('n1'), notReady('n2'), notReady('n3')], pods: [...used, replica('p', 'n1')] },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'the others are on their way out, and the pod bears every taint',
      {
        nodes: [workerNode('n1'), ...['n2', 'n3'].map((name) => workerNode(name, { deletedAt: ago(1) }))],
        pods: [
          ...used,
          replica('p', 'n1', {
            spec: { tolerations: [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }] },
          }),
        ],
      },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'the others have just started, and their GPUs have not appeared',
      {
        nodes: [
          workerNode('n1'),
          ...['n2', 'n3'].map((name) =>
            workerNode(name, { labels: { 'k8s.amazonaws.com/accelerator': 'nvidia-t4' }, createdAt: ago(1) }),
          ),
        ],
        pods: [...used, replica('p', 'n1')],
      },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'host ports that are taken',
      { pods: [...used, ...['n1', 'n2', 'n3'].map((on) => replica(`p-${on}`, on, port(80)))] },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'pods that keep apart by host, one on each node',
      {
        pods: [
          ...used,
          ...['n1', 'n2', 'n3'].map((on) =>
            replica(`p-${on}`, on, { ...web, spec: { podAntiAffinity: [apart(HOSTNAME_LABEL)] } }),
          ),
        ],
      },
      [],
      'NoPlaceToMovePods',
    ],
    [
      'pods that keep apart by host, and a node without any',
      {
        pods: [
          ...used,
          ...['n1', 'n2'].map((on) =>
            replica(`p-${on}`, on, { ...web, spec: { podAntiAffinity: [apart(HOSTNAME_LABEL)] } }),
          ),
        ],
      },
      ['n1'],
      undefined,
    ],
  ])('%s', (_, given, removed, n1) => {
    const decision = decide({ nodes, ...given });
    expect(goes(decision)).toEqual(removed);
    expect(stays(decision)['n1']).toBe(n1);
  });

  test.each<readonly [what: string, skew: number, policy: string, perNode: number, removed: readonly string[]]>([
    ['the draining node is a domain without pods', 1, 'Ignore', 1, []],
    ['but not for those that heed its taint', 1, 'Honor', 1, ['n1']],
    ['a wider skew lets the pods go', 2, 'Ignore', 1, ['n1']],
    ['as long as it is not used up', 2, 'Ignore', 2, []],
  ])('topology spread over hosts: %s', (_, skew, policy, perNode, removed) => {
    const pods = ['n1', 'n2', 'n3'].flatMap((on) =>
      Array.from({ length: perNode }, (__, i) =>
        replica(`p-${on}-${i}`, on, {
          ...web,
          requests: { cpu: '100m' },
          spec: { topologySpread: [spread(skew, policy)] },
        }),
      ),
    );
    expect(goes(decide({ nodes, pods: [...used, ...pods] }))).toEqual(removed);
  });

  test('a place that was reserved is taken: of three nodes whose pods go to the same place, one goes', () => {
    // Only n4 has room, and only for one of them.
    const decision = decide({
      nodes: ['n1', 'n2', 'n3', 'n4'].map((name) => workerNode(name)),
      pods: [
        ...['n1', 'n2', 'n3'].map((on) =>
          replica(`p-${on}`, on, { requests: { cpu: '1900m' }, spec: { nodeSelector: { [HOSTNAME_LABEL]: 'n4' } } }),
        ),
        full('n4', '2100m'),
      ],
    });
    expect(goes(decision)).toEqual(['n1']);
    expect(stays(decision)).toEqual({ n2: 'NoPlaceToMovePods', n3: 'NoPlaceToMovePods', n4: 'NotUnderutilized' });
  });

  test.each([
    { taints: 'its own taint', nodeLifecycleTaints: false },
    { taints: 'the shared taint', nodeLifecycleTaints: true },
  ])('a pod that tolerates $taints may leave last: the others have taken the room that they like best', (options) => {
    const all = { key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null } as const;
    const given = (tolerations: readonly (typeof all)[], n3: string) => ({
      nodes,
      pods: [
        full('n2', 3),
        full('n3', n3),
        replica('large', 'n1', { requests: { cpu: 1 }, spec: { tolerations } }),
        replica('small', 'n1'),
      ],
      options: { nodeLifecycleTaints: options.nodeLifecycleTaints },
    });
    expect(goes(decide(given([], '3500m')))).toEqual(['n1']);
    expect(stays(decide(given([all], '3500m')))['n1']).toBe('NoPlaceToMovePods');
    expect(goes(decide(given([all], '3000m')))).toEqual(['n1']);
  });

  test('a node that takes in pods is not removed besides', () => {
    const decision = decide({
      nodes: [workerNode('n1'), workerNode('n2')],
      pods: [replica('p', 'n1'), replica('q', 'n2')],
    });
    expect(goes(decision)).toEqual(['n1']);
    expect(decision.scaleDown.unneeded).toEqual(['n1']);
    expect(decision.scaleDown.unremovable).toEqual([
      { node: 'n2', reason: 'NotUnneededOtherReason', message: 'pods of other unneeded nodes would move to it' },
    ]);
  });

  test('pods go to nodes that stay, the fullest first', () => {
    const decision = decide({
      nodes: ['n1', 'n2', 'n3', 'n4'].map((name) => workerNode(name)),
      pods: [
        replica('p', 'n1'),
        replica('q', 'n1'),
        full('n2', '2100m'),
        full('n3', 3),
        replica('r', 'n4', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      ],
    });
    expect(decision.scaleDown.removals).toEqual([
      {
        node: 'n1',
        group: 'web',
        kind: 'drain',
        pods: ['default/p', 'default/q'],
        destinations: [{ node: 'n3', pods: 2 }],
      },
    ]);
  });

  test('affinity: a pod follows the one that it must be near', () => {
    const near = apart(HOSTNAME_LABEL);
    const decision = decide({
      nodes,
      pods: [
        ...used,
        replica('anchor', 'n1', { ...web, requests: { cpu: '200m' } }),
        replica('follower', 'n1', { requests: { cpu: '300m' }, spec: { podAffinity: [near] } }),
      ],
    });
    expect(goes(decision)).toEqual(['n1']);
    expect(decision.scaleDown.removals[0]!.destinations).toEqual([{ node: 'n2', pods: 2 }]);
  });

  test('pods that leave a zone let others in: what was refused before is asked again', () => {
    // x keeps away from db by zone; nothing but x fits on a1 and a2, and db may go to c.
    const zone = (name: string, of: string, pods = 110) => {
      const { allocatable, ...rest } = workerNode(name, { labels: { [ZONE_LABEL]: of } });
      return { ...rest, allocatable: { ...allocatable, pods } };
    };
    const x = (on: string) =>
      replica(`x-${on}`, on, {
        requests: { cpu: '100m' },
        spec: {
          podAntiAffinity: [{ ...apart(ZONE_LABEL), labelSelector: selector({ app: 'db' }) }],
          nodeAffinity: [
            { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: ['a', 'b'] }], matchFields: [] },
          ],
        },
      });
    const db = replica('db', 'b1', { labels: { app: 'db' }, requests: { cpu: '200m' }, spec: { nodeSelector: {} } });
    const decision = decide({
      nodes: [zone('a1', 'a', 1), zone('a2', 'a', 1), zone('b1', 'b'), zone('b2', 'b'), zone('c', 'c')],
      pods: [x('a1'), x('a2'), db, full('b2', '2500m'), full('c')],
      state: {
        unneededSince: {
          [workerNode('a1').name]: ago(3),
          [workerNode('b1').name]: ago(2),
          [workerNode('a2').name]: ago(1),
        },
      },
    });
    expect(stays(decision)['a1']).toBe('NoPlaceToMovePods');
    expect(goes(decision)).toEqual(['a2', 'b1']);
  });

  test('a node whose pods have no other place may itself be the place of others', () => {
    // The pods ask for an SSD, and b has no room for a second pod.
    const ssd = (name: string, pods: number) => {
      const { allocatable, ...rest } = workerNode(name, { labels: { disk: 'ssd' } });
      return { ...rest, allocatable: { ...allocatable, pods } };
    };
    const picky = (on: string) => replica(`p-${on}`, on, { spec: { nodeSelector: { disk: 'ssd' } } });
    const decision = decide({
      nodes: [ssd('a', 9), ssd('b', 1), workerNode('c')],
      pods: [picky('a'), picky('b'), full('c')],
    });
    expect(stays(decision)['a']).toBe('NoPlaceToMovePods');
    expect(goes(decision)).toEqual(['b']);
  });

  test('places that were tried in vain are free again', () => {
    // The first pod of n1 finds the only place, the second finds none; then the pod of n2 needs it.
    const nowhere = { nodeSelector: { disk: 'none' } };
    const first = { ...web, requests: { cpu: '900m' }, spec: { podAntiAffinity: [apart(HOSTNAME_LABEL)] } };
    const decision = decide({
      nodes,
      pods: [
        replica('first', 'n1', first),
        replica('second', 'n1', { requests: { cpu: '50m' }, spec: nowhere }),
        replica('p', 'n2', { requests: { cpu: 1 } }),
        full('n3'),
        replica('keeps', 'n2', { requests: { cpu: '50m' }, owner: 'DaemonSet/agent' }),
      ],
      state: { unneededSince: { [workerNode('n1').name]: ago(3) } },
    });
    expect(stays(decision)['n1']).toBe('NoPlaceToMovePods');
    expect(decision.scaleDown.removals).toMatchObject([{ node: 'n2', destinations: [{ node: 'n3', pods: 1 }] }]);
  });
});

describe('pods that wait and nodes that go, in one simulated cluster', () => {
  test('a node where a waiting pod finds its place stays', () => {
    const decision = decide({
      nodes,
      pods: [...used, pod('waits', { requests: { cpu: 2 }, owner: 'ReplicaSet/web' })],
    });
    expect(decision.scaleUp.pods).toEqual([{ pod: 'default/waits', outcome: 'Fits' }]);
    expect(goes(decision)).toEqual([]);
    expect(stays(decision)['n1']).toBe('NotUnneededOtherReason');
  });

  test('a node to which a preemption brings a pod stays', () => {
    const coming = pod('coming', { requests: { cpu: '100m' }, owner: 'ReplicaSet/web', nominatedNode: 'n1' });
    expect(stays(decide({ nodes, pods: [...used, coming] }))['n1']).toBe('NotUnneededOtherReason');
  });

  test('an evicted pod that is not back yet has its place', () => {
    const evicted = replica('gone', 'n9', { requests: { cpu: 2 } });
    const decision = decide({ nodes, pods: used, state: { recentEvictions: [evicted] } });
    expect(goes(decision)).toEqual([]);
    expect(stays(decision)['n1']).toBe('NotUnneededOtherReason');
  });

  test.each([
    ['runs elsewhere', [replica('p', 'n2', { requests: { cpu: '100m' } })], 3],
    [
      'waits, and finds room elsewhere',
      [pod('p', { owner: 'ReplicaSet/web', spec: { nodeSelector: { [HOSTNAME_LABEL]: 'n2' } } })],
      3,
    ],
    ['was never wanted again: its controller has fewer pods now', [], 2],
  ])('an evicted pod keeps no node when its replacement %s', (_, pods, replicas) => {
    const evicted = replica('gone', 'n9', { requests: { cpu: 2 } });
    const decision = decide({
      nodes,
      pods: [...used, ...pods],
      objects: { controllers: [{ ...WEB, replicas }] },
      state: { recentEvictions: [evicted] },
    });
    expect(goes(decision)).toEqual(['n1']);
  });

  test('an evicted pod has its place while a replacement of another one is there, and its own is not', () => {
    const evicted = ['gone', 'gone-too'].map((name) => replica(name, 'n9', { requests: { cpu: 2 } }));
    const decision = decide({
      nodes,
      pods: [...used, replica('p', 'n2', { requests: { cpu: '100m' } })],
      objects: { controllers: [{ ...WEB, replicas: 4 }] },
      state: { recentEvictions: evicted },
    });
    expect(goes(decision)).toEqual([]);
    expect(stays(decision)['n1']).toBe('NotUnneededOtherReason');
  });

  test.each([
    ['may come', 'data'],
    ['can have no object', `${'x'.repeat(300)}/..`],
  ])(
    'a pod that was bound without the scheduler keeps its node while it has a claim that is not there: of a name that %s',
    (_, name) => {
      const decision = decide({
        nodes,
        pods: [...used, replica('p', 'n1', { spec: { volumes: claimVolumes(name) } })],
      });
      expect(goes(decision)).toEqual([]);
      expect(decision.scaleDown.unremovable.find(({ node }) => node === 'n1')).toMatchObject({
        reason: 'NoPlaceToMovePods',
        pod: 'default/p',
        message: expect.stringMatching(/^persistentvolumeclaim "(data|x{200}.*)" not found$/),
      });
    },
  );

  test('pods of a node that is draining have theirs', () => {
    const decision = decide({
      nodes: [...nodes, workerNode('n4')],
      pods: [...used, replica('p', 'n4', { requests: { cpu: 2 } })],
      state: {
        deletionsInProgress: [{ node: workerNode('n4').name, group: group('web').name, kind: 'drain', since: ago(1) }],
      },
    });
    expect(goes(decision)).toEqual([]);
    expect(stays(decision)).toMatchObject({ n1: 'NotUnneededOtherReason', n4: 'CurrentlyBeingDeleted' });
  });

  test('nodes on their way take no pods of others: they may never come', () => {
    const decision = decide({
      nodes: [workerNode('n1'), workerNode('n2')],
      pods: [full('n2'), replica('p', 'n1', { requests: { cpu: '1500m' } })],
      groups: [
        group('web', { nodes: ['n1', 'n2'] }),
        group('more', { target: 1, instances: [{ ...running('i-9', null), state: 'Creating' }] }),
      ],
      state: {
        scaleUpRequests: [{ group: group('more').name, increase: 1, time: ago(1), expectedAddTime: ago(-14) }],
        unregisteredSince: { [running('i-9', null).id]: ago(1) },
      },
    });
    expect(decision.scaleUp.upcoming).toEqual({ more: 1 });
    expect(stays(decision)['n1']).toBe('NoPlaceToMovePods');
  });

  test('an evaluation that adds nodes removes none, whatever the delays are', () => {
    const huge = pod('huge', { requests: { cpu: 4, memory: '1Gi' }, owner: 'ReplicaSet/web' });
    const decision = decide({
      nodes: [workerNode('n1'), workerNode('n2')],
      pods: [full('n2', 2), replica('p', 'n1', { requests: { cpu: '100m' } }), huge],
      options: { scaleDownDelayAfterAdd: minutes(0) },
    });
    expect(decision.scaleUp.increases).toHaveLength(1);
    expect(decision.scaleDown).toMatchObject({
      result: 'Cooldown',
      unneeded: ['n1'],
      removals: [],
      message: 'nodes are added in this evaluation',
    });
  });
});
