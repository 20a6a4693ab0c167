import { describe, expect, it } from 'vitest';
import { isUpdating } from '../../../core/model/cloud-action.ts';
import { clusterName, groupName, instanceId } from '../../../core/model/values/names.ts';
import { type EpochMs, epochMs, minutes, addTime } from '../../../core/model/values/time.ts';
import type { ClusterApiSettings } from '../../../providers/clusterapi/cluster-api-changes.ts';
import { createClusterApiGroups } from '../../../providers/clusterapi/cluster-api-groups.ts';
import { node } from '../../builders.ts';
import { type Raw, bounds, rawMachine, rawObject, rawScalable } from './builders.ts';
import { type ManagementCluster, managementCluster } from './management-cluster.ts';

const NOW = epochMs(Date.UTC(2026, 0, 1, 12));
const PAUSED = { 'cluster.x-k8s.io/paused': '' };

function groupsOf({ transport }: ManagementCluster, settings: Partial<ClusterApiSettings> = {}) {
  const warnings: string[] = [];
  let time: EpochMs = NOW;
  const groups = createClusterApiGroups({
    transport,
    cluster: clusterName('production'),
    inManagementCluster: false,
    apiGroup: 'cluster.x-k8s.io',
    discovery: [],
    machineDeployments: true,
    defaultArchitecture: 'amd64',
    warn: (message) => void warnings.push(message),
    now: () => time,
    ...settings,
  });
  return { groups, warnings, pass: (ms: Parameters<typeof addTime>[1]) => void (time = addTime(time, ms)) };
}

/** MachineDeployment `web`, its MachineSet, and Machines with these names. */
const web = (machines: readonly string[], of: Parameters<typeof rawScalable>[2] = {}): readonly Raw[] => [
  rawScalable('MachineDeployment', 'web', {
    ...of,
    spec: { replicas: machines.length, ...of.spec },
    status: { selector: 'app=web', ...of.status },
  }),
  rawScalable('MachineSet', 'web-1', {
    labels: { app: 'web' },
    owner: 'MachineDeployment/web',
    annotations: bounds(0, 10),
  }),
  ...machines.map((name) => rawMachine(name, { labels: { app: 'web' }, owner: 'MachineSet/web-1' })),
];

const registered = (name: string) =>
  node(name, { cpu: 4, memory: '16Gi' }, { providerId: `aws:///us-east-1a/i-${name}` });
const WEB = groupName('MachineDeployment/default/web');

describe('the list', () => {
  it('has MachineDeployments, bare MachineSets and MachinePools with their instances and nodes', async () => {
    await using cluster = await managementCluster([
      ...web(['a', 'b'], {
        annotations: { ...bounds(1, 5), 'cluster.x-k8s.io/autoscaling-options-scaledownunneededtime': '5m' },
      }),
      rawScalable('MachineSet', 'bare', { spec: { replicas: 2 } }),
      rawMachine('c', { owner: 'MachineSet/bare', spec: { providerID: undefined }, status: { nodeRef: undefined } }),
      rawScalable('MachinePool', 'pool', { spec: { providerIDList: ['aws:///us-east-1a/i-p'] } }),
      rawMachine('control-plane', { owner: 'KubeadmControlPlane/c1' }),
      rawScalable('MachineSet', 'not-opted-in', { annotations: {} }),
    ]);
    const { groups, warnings } = groupsOf(cluster);

    const found = await groups.list([registered('a'), registered('b'), registered('p'), registered('control-plane')]);

    expect(
      found.map(({ name, nodes, targetSize, instances }) => [name, targetSize, nodes, instances.map(({ id }) => id)]),
    ).toEqual([
      ['MachineDeployment/default/web', 2, ['a', 'b'], ['default/a', 'default/b']],
      ['MachinePool/default/pool', 1, ['p'], ['aws:///us-east-1a/i-p']],
      ['MachineSet/default/bare', 2, [], ['default/c']],
    ]);
    expect(found[0]).toMatchObject({
      minSize: 1,
      maxSize: 5,
      options: { scaleDownUnneededTime: minutes(5) },
      invalid: null,
    });
    expect(isUpdating(found[0]!)).toBe(false);
    expect(found[0]?.template?.node.allocatable).toEqual(registered('a').allocatable);
    expect(found[2]?.instances).toMatchObject([{ node: null, state: 'Creating' }]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['0.096', 0.096, []],
    [undefined, null, []],
    [
      'cheap',
      null,
      [
        'MachineSet default/bare: annotation outrigger.dev/price: expected USD per hour, such as 0.096, found "cheap"; its price is unknown; correct it',
      ],
    ],
  ])('has prices that annotations state: %j is %j', async (stated, price, expected) => {
    const annotations = { ...bounds(0, 5), ...(stated !== undefined && { 'outrigger.dev/price': stated }) };
    await using cluster = await managementCluster([rawScalable('MachineSet', 'bare', { annotations })]);
    const { groups, warnings } = groupsOf(cluster);

    expect((await groups.list([])).map((group) => group.price)).toEqual([price]);
    expect(warnings).toEqual(expected);
  });

  it('are paused by an annotation', async () => {
    const annotations = { ...bounds(0, 5), 'outrigger.dev/paused': 'scale-up' };
    await using cluster = await managementCluster([rawScalable('MachineSet', 'bare', { annotations })]);
    const [group] = await groupsOf(cluster).groups.list([]);
    expect(group!.pause).toMatchObject({ part: 'ScaleUp', group: group!.name, source: 'NodeGroup' });
  });

  it('are not paused by an annotation that is malformed, which is told', async () => {
    const annotations = { ...bounds(0, 5), 'outrigger.dev/paused': 'yes' };
    await using cluster = await managementCluster([rawScalable('MachineSet', 'bare', { annotations })]);
    const { groups, warnings } = groupsOf(cluster);
    const [group] = await groups.list([]);
    expect([group!.pause, group!.invalid]).toEqual([undefined, null]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^MachineSet default\/bare: annotation .* found "yes"; the node group is not paused; correct it$/,
      ),
    ]);
  });

  it('of 500 groups with 2 000 Machines takes five calls, and two before the first for what is served', async () => {
    const sets = Array.from({ length: 500 }, (_, i) => rawScalable('MachineSet', `s${i}`, { spec: { replicas: 4 } }));
    const machines = Array.from({ length: 2_000 }, (_, i) => rawMachine(`m${i}`, { owner: `MachineSet/s${i % 500}` }));
    await using cluster = await managementCluster([...sets, ...machines, rawObject('Cluster', 'c1')]);
    const { groups } = groupsOf(cluster);
    const nodes = Array.from({ length: 2_000 }, (_, i) => registered(`m${i}`));

    await groups.list(nodes);
    const first = cluster.calls().length;
    const found = await groups.list(nodes);
    await groups.withCloudActions(await groups.withLaunchFailures(found, new Map([[WEB, NOW]])), new Set([WEB]));

    expect(found).toHaveLength(500);
    expect(found.every((group) => group.nodes.length === 4)).toBe(true);
    expect(first).toBe(7);
    expect(cluster.calls().slice(first).toSorted()).toEqual([
      'GET /apis/cluster.x-k8s.io/v1beta2/clusters',
      'GET /apis/cluster.x-k8s.io/v1beta2/machinedeployments',
      'GET /apis/cluster.x-k8s.io/v1beta2/machinepools',
      'GET /apis/cluster.x-k8s.io/v1beta2/machines',
      'GET /apis/cluster.x-k8s.io/v1beta2/machinesets',
    ]);
  });

  it('asks for no kind that is not served', async () => {
    const openshift = { group: 'machine.openshift.io', kinds: { MachineSet: 'machinesets', Machine: 'machines' } };
    const of = { apiVersion: 'machine.openshift.io/v1beta1' };
    await using cluster = await managementCluster(
      [
        rawScalable('MachineSet', 's', { ...of, annotations: bounds(0, 5, 'machine.openshift.io') }),
        rawMachine('a', { ...of, owner: 'MachineSet/s' }),
      ],
      openshift,
    );
    cluster.version = 'v1beta1';
    const { groups } = groupsOf(cluster, { apiGroup: 'machine.openshift.io' });

    const found = await groups.list([registered('a')]);

    expect(found.map(({ name, nodes }) => [name, nodes])).toEqual([['MachineSet/default/s', ['a']]]);
    expect(cluster.calls().toSorted()).toEqual([
      'GET /apis/machine.openshift.io',
      'GET /apis/machine.openshift.io/v1beta1',
      'GET /apis/machine.openshift.io/v1beta1/machines',
      'GET /apis/machine.openshift.io/v1beta1/machinesets',
    ]);
  });

  it('reads one namespace where the specifications name no other, and no MachineDeployments where these are disabled', async () => {
    await using cluster = await managementCluster([
      ...web(['a']),
      rawScalable('MachineSet', 's'),
      rawScalable('MachineSet', 't', { namespace: 'other' }),
    ]);
    const { groups } = groupsOf(cluster, {
      machineDeployments: false,
      discovery: [{ namespace: 'default', clusterName: null, labels: {} }],
    });

    const found = await groups.list([]);

    expect(found.map(({ name }) => name)).toEqual(['MachineSet/default/s']);
    const lists = cluster.calls().slice(2);
    expect(lists).toHaveLength(4);
    expect(lists.every((call) => call.includes('/namespaces/default/'))).toBe(true);
    expect(lists.some((call) => call.includes('machinedeployments'))).toBe(false);
  });

  it('has the groups beside one that cannot be described, which is invalid', async () => {
    await using cluster = await managementCluster([
      rawScalable('MachineSet', 'bad', { annotations: { ...bounds(0, 3), 'outrigger.dev/price': 'dear' } }),
      rawScalable('MachineSet', 'good'),
    ]);
    const { groups } = groupsOf(cluster, {
      warn: () => {
        throw new TypeError('of a group alone');
      },
    });
    const [bad, good] = await groups.list([]);
    expect([bad?.invalid, good?.invalid ?? null]).toEqual([
      'MachineSet default/bad: it cannot be described: of a group alone',
      null,
    ]);
    expect(bad).toMatchObject({ minSize: 0, maxSize: 3, targetSize: 1 });
  });

  it('has the groups beside an object that cannot be read', async () => {
    await using cluster = await managementCluster([
      { kind: 'MachineSet', metadata: { namespace: 'default', name: 'odd' }, spec: { replicas: 'many' } },
      { kind: 'MachineSet', metadata: 'none' },
      rawScalable('MachineSet', 'good'),
    ]);
    const { groups, warnings } = groupsOf(cluster);
    expect((await groups.list([])).map(({ name }) => name)).toEqual(['MachineSet/default/good']);
    expect(warnings).toHaveLength(2);
  });

  describe('without discovery', () => {
    const named = (name: string, namespace: string, day: number): Raw =>
      rawObject('Cluster', name, { namespace, uid: `${namespace}/${name}`, createdAt: `2026-01-0${day}T00:00:00Z` });
    const set = (namespace: string, clusterName: string): Raw =>
      rawScalable('MachineSet', `${clusterName}-workers`, { namespace, uid: namespace, spec: { clusterName } });
    const found = async (objects: readonly Raw[], settings: Partial<ClusterApiSettings> = {}) => {
      await using cluster = await managementCluster(objects);
      const { groups, warnings } = groupsOf(cluster, settings);
      return { names: (await groups.list([])).map(({ name }) => name), warnings };
    };

    it('has all resources of a cluster with one Cluster, whatever its name', async () => {
      const objects = [named('c1', 'fleet', 1), set('fleet', 'c1'), set('evil', 'c2')];
      expect(await found(objects)).toEqual({
        names: ['MachineSet/evil/c2-workers', 'MachineSet/fleet/c1-workers'],
        warnings: [],
      });
    });

    it.each([
      ['several Clusters', false, [named('other', 'fleet', 1)]],
      ['the resources in another cluster', true, []],
    ])('has those of the Cluster with its name beside %s', async (_, inManagementCluster, others) => {
      const objects = [named('production', 'fleet', 2), ...others, set('fleet', 'production'), set('evil', 'other')];
      expect(await found(objects, { inManagementCluster })).toEqual({
        names: ['MachineSet/fleet/production-workers'],
        warnings: [],
      });
    });

    it('has none of a namespace with a later Cluster of the same name', async () => {
      const objects = ['evil', 'fleet'].flatMap((namespace) => [
        named('production', namespace, namespace === 'evil' ? 5 : 3),
        set(namespace, 'production'),
      ]);
      expect((await found(objects, { inManagementCluster: true })).names).toEqual([
        'MachineSet/fleet/production-workers',
      ]);
    });

    it('has none where no Cluster has the name, and says so', async () => {
      const objects = [
        named('prod', 'fleet', 1),
        named('other', 'fleet', 2),
        set('fleet', 'prod'),
        set('evil', 'other'),
      ];
      expect(await found(objects)).toEqual({
        names: [],
        warnings: [
          expect.stringMatching(
            /^MachineSet\/evil\/other-workers and 1 more are node groups of other clusters.* no Cluster named production; set clusterApi\.discovery/,
          ),
        ],
      });
    });

    it('has the specifications, where they are set', async () => {
      const discovery = [{ namespace: 'evil', clusterName: 'other', labels: {} }];
      const objects = [set('fleet', 'production'), set('evil', 'other')];
      expect((await found(objects, { inManagementCluster: true, discovery })).names).toEqual([
        'MachineSet/evil/other-workers',
      ]);
    });
  });

  it('goes on with the version that is served, after an upgrade', async () => {
    await using cluster = await managementCluster(web(['a']));
    cluster.version = 'v1beta1';
    const { groups } = groupsOf(cluster);
    await groups.list([]);
    cluster.version = 'v1beta2';

    expect(await groups.list([])).toHaveLength(1);
    expect(await groups.readSize(WEB)).toMatchObject({ target: 1 });
  });

  it('says where the API group is not served', async () => {
    await using cluster = await managementCluster([]);
    const { groups } = groupsOf(cluster, { apiGroup: 'example.com' });

    await expect(groups.list([])).rejects.toThrow(
      'The management cluster does not serve the API group example.com. Install Cluster API there, or correct clusterApi.apiGroup.',
    );
  });

  it('leaves out objects that cannot be read, and says so once an hour', async () => {
    await using cluster = await managementCluster([
      ...web(['a']),
      rawScalable('MachineSet', 'broken', { spec: { replicas: 'many' } }),
    ]);
    const { groups, warnings, pass } = groupsOf(cluster);

    await groups.list([]);
    const found = await groups.list([]);
    expect(found.map(({ name }) => name)).toEqual([WEB]);
    expect(warnings).toEqual([
      'MachineSet default/broken: spec.replicas: expected an integer, found "many"; it is left out',
    ]);
    pass(minutes(61));
    await groups.list([]);
    expect(warnings).toHaveLength(2);
  });

  it('has groups that cannot be used, with the reason', async () => {
    await using cluster = await managementCluster([
      rawScalable('MachineSet', 'bounds', { annotations: bounds(5, 3), spec: { replicas: 4 } }),
      rawScalable('MachineSet', 'leaving', { deletedAt: '2026-01-01T01:00:00Z' }),
      rawScalable('MachineSet', 'unknown-shape', { spec: { replicas: 0 } }),
      rawObject('Cluster', 'c1'),
    ]);
    const { groups } = groupsOf(cluster);

    const found = await groups.list([]);

    expect(Object.fromEntries(found.map(({ name, invalid }) => [name.split('/')[2], invalid]))).toEqual({
      bounds: expect.stringContaining('expected at least the minimum of 5, found 3') as string,
      leaving: 'MachineSet default/leaving: it is being deleted',
      'unknown-shape': expect.stringContaining('MachineSet default/unknown-shape: ') as string,
    });
    expect(found[0]).toMatchObject({ minSize: 4, maxSize: 4, targetSize: 4 });
  });

  it('has paused groups with the reason, and with the nodes and Machines that count', async () => {
    await using cluster = await managementCluster([
      rawScalable('MachineSet', 'own', { annotations: { ...bounds(0, 3), ...PAUSED }, spec: { replicas: 2 } }),
      rawScalable('MachineSet', 'by-cluster', { spec: { clusterName: 'c2', replicas: 1 } }),
      rawScalable('MachineSet', 'running', { spec: { replicas: 1 } }),
      rawMachine('a', { owner: 'MachineSet/own' }),
      rawMachine('b', { owner: 'MachineSet/own', spec: { providerID: undefined }, status: { nodeRef: undefined } }),
      rawObject('Cluster', 'c1'),
      rawObject('Cluster', 'c2', { spec: { paused: true } }),
    ]);
    const { groups } = groupsOf(cluster, { discovery: [{ namespace: 'default', clusterName: null, labels: {} }] });

    const found = await groups.list([registered('a')]);

    expect(
      Object.fromEntries(found.map(({ name, paused, invalid }) => [name.split('/')[2], [paused, invalid]])),
    ).toEqual({
      own: ['MachineSet default/own is paused (annotation cluster.x-k8s.io/paused)', null],
      'by-cluster': ['Cluster default/c2 is paused', null],
      running: [null, null],
    });
    expect(found.find(({ name }) => name.endsWith('/own'))).toMatchObject({
      targetSize: 2,
      nodes: ['a'],
      instances: [{ state: 'Running' }, { state: 'Creating' }],
    });
  });

  it('says of a rollout that the group is updated, and of a paused Machine too', async () => {
    const revision = (n: number) => ({ 'machinedeployment.clusters.x-k8s.io/revision': String(n) });
    const set = (name: string, n: number): Raw =>
      rawScalable('MachineSet', name, {
        owner: 'MachineDeployment/web',
        annotations: revision(n),
        labels: { app: 'web' },
      });
    await using cluster = await managementCluster([
      rawScalable('MachineDeployment', 'web', { spec: { replicas: 2 } }),
      set('web-1', 1),
      set('web-2', 2),
      rawScalable('MachineSet', 's'),
      rawMachine('p', { owner: 'MachineSet/s', annotations: PAUSED }),
    ]);
    const { groups, warnings } = groupsOf(cluster);

    const found = await groups.list([registered('p')]);

    expect(found.map((one) => [one.name, isUpdating(one), one.nodes])).toEqual([
      [WEB, true, []],
      ['MachineSet/default/s', true, ['p']],
    ]);
    expect(warnings.join()).toContain('its Machine default/p is paused');
  });

  it('warns of a Machine that has failed, where a smaller size would be taken from another MachineSet', async () => {
    const set = (revision: number): Raw =>
      rawScalable('MachineSet', `web-${revision}`, {
        owner: 'MachineDeployment/web',
        annotations: { 'machinedeployment.clusters.x-k8s.io/revision': String(revision) },
        labels: { app: 'web' },
      });
    const of = (revision: number, name: string, status: Raw = {}): Raw =>
      rawMachine(name, { labels: { app: 'web' }, owner: `MachineSet/web-${revision}`, status });
    const failed = { phase: 'Failed', nodeRef: undefined };
    await using cluster = await managementCluster([
      rawScalable('MachineDeployment', 'web', {
        spec: { replicas: 4, rollout: { strategy: { type: 'OnDelete' } } },
        status: { selector: 'app=web' },
      }),
      set(1),
      set(2),
      of(1, 'old', failed),
      of(2, 'a-node'),
      of(2, 'new', failed),
      of(2, 'starting', { nodeRef: undefined }),
    ]);
    const { groups, warnings } = groupsOf(cluster);

    await groups.list([]);

    expect(warnings).toEqual([
      'MachineDeployment default/web: its Machine default/new has failed, and is not ended: its MachineDeployment takes Machines of MachineSet web-1 first (strategy OnDelete); delete it, so that another one is made',
    ]);
  });

  it('warns of options that are malformed, and of nodes that fit several Machines', async () => {
    const same = { spec: { providerID: 'aws:///us-east-1a/i-x' }, status: { nodeRef: undefined } };
    await using cluster = await managementCluster([
      ...web([], {
        annotations: { ...bounds(0, 5), 'cluster.x-k8s.io/autoscaling-options-scaledownunneededtime': 'soon' },
      }),
      rawMachine('a', same),
      rawMachine('b', same),
    ]);
    const { groups, warnings } = groupsOf(cluster);

    await groups.list([registered('x')]);

    expect(warnings.join('\n')).toMatch(/^MachineDeployment default\/web: annotation .*: expected .*, found "soon"/m);
    expect(warnings.join('\n')).toMatch(/^Node x fits several Machines/m);
  });
});

describe('a glance', () => {
  it('has sizes and instances of the same groups, by the same calls', async () => {
    await using cluster = await managementCluster(web(['a', 'b']));
    const { groups } = groupsOf(cluster);

    expect(await groups.glance()).toMatchObject([
      {
        name: WEB,
        minSize: 0,
        maxSize: 10,
        targetSize: 2,
        instances: [
          { id: 'default/a', state: 'Running' },
          { id: 'default/b', state: 'Running' },
        ],
      },
    ]);
    expect(cluster.calls()).toHaveLength(7);
  });
});

describe('one group', () => {
  const deleted = { deletedAt: '2026-01-01T01:00:00Z' };
  const objects = [
    ...web(['a']),
    rawMachine('b', { ...deleted, labels: { app: 'web' }, owner: 'MachineSet/web-1' }),
    rawMachine('c', { labels: { app: 'web' }, owner: 'MachineSet/other' }),
  ];

  it('is read with its Machines, of which those that are being deleted are not held', async () => {
    await using cluster = await managementCluster(objects);
    const { groups } = groupsOf(cluster);

    expect(await groups.readSize(WEB)).toEqual({ min: 0, max: 10, target: 1, held: 1 });
    expect(cluster.calls().slice(2).toSorted()).toEqual([
      'GET /apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/c1',
      'GET /apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinedeployments/web',
      'GET /apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines?labelSelector=app%3Dweb',
      'GET /apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinesets?labelSelector=app%3Dweb',
    ]);
  });

  it.each([
    ['MachineDeployment/default/gone'],
    ['MachineSet/default/web-1'],
    ['MachineSet/default/web'],
    ['an-auto-scaling-group'],
    ['MachineSet/../web'],
  ])('%s does not exist', async (name) => {
    await using cluster = await managementCluster(objects);
    const { groups } = groupsOf(cluster);

    expect(await groups.readSize(groupName(name))).toBeNull();
    expect(await groups.readInstance(groupName(name), instanceId('default/a'))).toEqual({ state: 'gone', size: null });
  });

  it.each([
    ['default/a', 'in group'],
    ['default/b', 'ending'],
    ['default/c', 'gone'],
    ['default/nothing', 'gone'],
  ])('has its instance %s: %s', async (id, state) => {
    await using cluster = await managementCluster(objects);
    const { groups } = groupsOf(cluster);

    expect(await groups.readInstance(WEB, instanceId(id))).toEqual({
      state,
      size: { min: 0, max: 10, target: 1, held: 1 },
    });
  });
});

describe('launches', () => {
  it('have failed where the MachineSet cannot create its Machines, for the groups that are asked about', async () => {
    const condition = {
      type: 'MachinesCreated',
      status: 'False',
      reason: 'InfrastructureTemplateCloningFailed',
      message: 'm',
    };
    await using cluster = await managementCluster([
      rawScalable('MachineSet', 's', {
        spec: { replicas: 2 },
        status: { deprecated: { v1beta1: { conditions: [condition] } } },
      }),
    ]);
    const { groups } = groupsOf(cluster);
    const found = await groups.list([]);
    const asked = new Map([[groupName('MachineSet/default/s'), NOW]]);

    expect((await groups.withLaunchFailures(found, asked))[0]?.launchFailures).toMatchObject([
      { id: 'i-placeholder-MachineSet/default/s-0', class: 'Configuration' },
      { id: 'i-placeholder-MachineSet/default/s-1', class: 'Configuration' },
    ]);
    expect(await groups.withLaunchFailures(found, new Map())).toEqual(found);
  });
});
