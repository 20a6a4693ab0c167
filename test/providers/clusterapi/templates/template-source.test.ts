import { describe, expect, test } from 'vitest';
import type { Node } from '../../../../core/model/cluster/node.ts';
import { groupName } from '../../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../../core/model/values/time.ts';
import type { ScalableResource } from '../../../../providers/clusterapi/api/objects.ts';
import { createTemplateSource } from '../../../../providers/clusterapi/templates/template-source.ts';
import { createTransport } from '../../../../providers/kubernetes/client/transport.ts';
import { node } from '../../../builders.ts';
import { type ApiServer, type Handler, apiServer, json, refuse } from '../../kubernetes/api-server.ts';
import { type RawFields, scalable } from '../builders.ts';

const PREFIX = 'capacity.cluster-autoscaler.kubernetes.io/';
const GROUP = 'infrastructure.cluster.x-k8s.io';
const WHOLE = { [`${PREFIX}cpu`]: '4', [`${PREFIX}memory`]: '8Gi' };
const READY = [{ type: 'Ready', status: 'True', reason: '', since: epochMs(0) }];

const ref = (name: string, kind = 'FooMachineTemplate') => ({ apiGroup: GROUP, kind, name });

interface Of extends Pick<RawFields, 'annotations' | 'namespace'> {
  readonly infrastructureRef?: object;
  readonly taints?: readonly object[];
  readonly labels?: Readonly<Record<string, string>>;
}

function resource(name: string, { infrastructureRef, taints, labels, ...rest }: Of = {}): ScalableResource {
  const template = { metadata: { labels: labels ?? {} }, spec: { infrastructureRef, taints: taints ?? [] } };
  return scalable('MachineDeployment', name, { annotations: {}, ...rest, spec: { template } });
}

const infrastructure = (name: string, status: object, namespace = 'default') => ({
  kind: 'FooMachineTemplate',
  metadata: { namespace, name },
  status,
});

const AT = `/apis/${GROUP}/v1beta1`;

/** Serves templates of one kind. */
const serving =
  (items: readonly object[]): Handler =>
  ({ path }, response) => {
    if (path === `/apis/${GROUP}`) {
      json(response, 200, { kind: 'APIGroup', preferredVersion: { version: 'v1beta1' } });
    } else if (path.endsWith('/foomachinetemplates')) {
      json(response, 200, { kind: 'FooMachineTemplateList', metadata: {}, items });
    } else {
      refuse(response, 404, 'NotFound', 'the server could not find the requested resource');
    }
  };

interface Source extends AsyncDisposable {
  readonly server: ApiServer;
  readonly warnings: readonly string[];
  readonly pass: (ms: number) => void;
  readonly shape: (of: ScalableResource, nodes?: readonly Node[]) => Promise<Awaited<ReturnType<typeof shapeOf>>>;
  readonly shapes: (of: readonly ScalableResource[]) => Promise<readonly (string | null)[]>;
}

const groupOf = ({ namespace, name }: ScalableResource) => groupName(`MachineDeployment/${namespace}/${name}`);

async function shapeOf(source: ReturnType<typeof createTemplateSource>, of: ScalableResource, nodes: readonly Node[]) {
  const shapes = await source.get([{ group: groupOf(of), resource: of, nodes }]);
  return shapes.get(groupOf(of))!;
}

async function templateSource(handler: Handler = serving([]), defaultArchitecture = 'amd64'): Promise<Source> {
  const server = await apiServer(handler);
  const transport = createTransport(server.connection, { maxAttempts: 1 });
  const warnings: string[] = [];
  let time = Date.UTC(2026, 0, 1);
  const source = createTemplateSource({
    transport,
    defaultArchitecture,
    warn: (_, message) => void warnings.push(message),
    now: () => epochMs(time),
  });
  return {
    server,
    warnings,
    pass: (ms) => {
      time += ms;
    },
    shape: (of, nodes = []) => shapeOf(source, of, nodes),
    shapes: async (of) => {
      const shapes = await source.get(of.map((one) => ({ group: groupOf(one), resource: one, nodes: [] })));
      return of.map((one) => shapes.get(groupOf(one))!.problem);
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const paths = ({ server }: Source): readonly string[] => server.seen.map(({ path }) => path);

describe('from annotations alone', () => {
  test('a node has what they state, 110 pods, and the default architecture', async () => {
    await using source = await templateSource(serving([]), 'arm64');
    const { template, problem } = await source.shape(resource('web', { annotations: WHOLE }));
    expect(problem).toBeNull();
    expect(template!.node).toMatchObject({
      name: 'template-node-for-MachineDeployment/default/web',
      capacity: { cpu: 4_000, memory: 8 * 2 ** 30, pods: 110 },
      labels: {
        'kubernetes.io/arch': 'arm64',
        'beta.kubernetes.io/arch': 'arm64',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/hostname': 'template-node-for-MachineDeployment/default/web',
      },
    });
    expect(template!.node.allocatable).toEqual(template!.node.capacity);
    expect(template!.pods.map(({ labels }) => labels)).toEqual([{ component: 'kube-proxy' }]);
    expect(paths(source)).toEqual([]);
  });

  test('labels that Cluster API passes on to nodes are there, others are not, and annotations override', async () => {
    await using source = await templateSource();
    const labels = {
      'node-role.kubernetes.io/worker': '',
      'node-restriction.kubernetes.io/a': '1',
      'sub.node-restriction.kubernetes.io/b': '2',
      'node.cluster.x-k8s.io/c': '3',
      'example.com/no': 'x',
      'evil-node.cluster.x-k8s.io/no': 'x',
    };
    const stated = {
      [`${PREFIX}labels`]: 'kubernetes.io/arch=s390x,node.cluster.x-k8s.io/c=9,cluster-api/accelerator=t4',
    };
    const { template } = await source.shape(resource('web', { annotations: { ...WHOLE, ...stated }, labels }));
    expect(template!.node.labels).toEqual({
      'kubernetes.io/hostname': 'template-node-for-MachineDeployment/default/web',
      'kubernetes.io/os': 'linux',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 's390x',
      'beta.kubernetes.io/arch': 's390x',
      'node-role.kubernetes.io/worker': '',
      'node-restriction.kubernetes.io/a': '1',
      'sub.node-restriction.kubernetes.io/b': '2',
      'node.cluster.x-k8s.io/c': '9',
      'cluster-api/accelerator': 't4',
    });
  });

  test('taints of the template and of annotations are merged by key and effect', async () => {
    await using source = await templateSource();
    const { template } = await source.shape(
      resource('web', {
        annotations: { ...WHOLE, [`${PREFIX}taints`]: 'a=2:NoSchedule,c:NoExecute' },
        taints: [
          { key: 'a', value: '1', effect: 'NoSchedule' },
          { key: 'a', value: '1', effect: 'NoExecute' },
        ],
      }),
    );
    expect(template!.node.taints).toEqual([
      { key: 'a', value: '2', effect: 'NoSchedule' },
      { key: 'a', value: '1', effect: 'NoExecute' },
      { key: 'c', value: '', effect: 'NoExecute' },
    ]);
  });

  test('malformed ones are reported, and count as absent', async () => {
    await using source = await templateSource();
    const { template, problem } = await source.shape(
      resource('web', { annotations: { ...WHOLE, [`${PREFIX}cpu`]: '4x' } }),
    );
    expect(template).toBeNull();
    expect(problem).toContain(`annotate it with ${PREFIX}cpu and ${PREFIX}memory`);
    expect(source.warnings).toEqual([
      expect.stringMatching(/^MachineDeployment\/default\/web: .*"4x".*counts as absent/),
    ]);
  });
});

describe('from the infrastructure template', () => {
  const CAPACITY = { cpu: '2', memory: '4Gi', pods: 58, 'nvidia.com/gpu': '1', broken: '1 GB' };
  const NODE_INFO = { architecture: 'arm64', operatingSystem: 'windows' };

  test('capacity, architecture and operating system are its, as far as annotations do not say otherwise', async () => {
    await using source = await templateSource(
      serving([infrastructure('foo', { capacity: CAPACITY, nodeInfo: NODE_INFO })]),
    );
    const { template } = await source.shape(
      resource('web', { annotations: { [`${PREFIX}cpu`]: '8' }, infrastructureRef: ref('foo') }),
    );
    expect(template!.node).toMatchObject({
      capacity: { cpu: 8_000, memory: 4 * 2 ** 30, pods: 58, 'nvidia.com/gpu': 1 },
      labels: { 'kubernetes.io/arch': 'arm64', 'kubernetes.io/os': 'windows', 'beta.kubernetes.io/os': 'windows' },
    });
    expect(template!.node.capacity).not.toHaveProperty('broken');
  });

  test('one list serves all groups of a kind, and the next ten minutes', async () => {
    await using source = await templateSource(
      serving(['a', 'b'].map((name) => infrastructure(name, { capacity: CAPACITY }))),
    );
    const groups = ['a', 'b', 'a'].map((name, i) => resource(`web-${i}`, { infrastructureRef: ref(name) }));
    expect(await source.shapes(groups)).toEqual([null, null, null]);
    source.pass(minutes(9));
    await source.shapes(groups);
    expect(paths(source)).toEqual([`/apis/${GROUP}`, `${AT}/namespaces/default/foomachinetemplates`]);
    source.pass(minutes(1));
    await source.shapes(groups);
    expect(paths(source)).toHaveLength(4);
  });

  test('those of several namespaces are one list of all namespaces, and are told apart', async () => {
    await using source = await templateSource(
      serving([
        infrastructure('foo', { capacity: CAPACITY }, 'blue'),
        infrastructure('foo', { capacity: { ...CAPACITY, cpu: '16' } }, 'red'),
      ]),
    );
    const groups = ['blue', 'red'].map((namespace) => resource('web', { namespace, infrastructureRef: ref('foo') }));
    await source.shapes(groups);
    expect(paths(source)).toContain(`${AT}/foomachinetemplates`);
    expect((await source.shape(groups[1]!)).template!.node.capacity['cpu']).toBe(16_000);
  });

  test('the version of a reference of v1beta1 is used as it is', async () => {
    await using source = await templateSource(serving([infrastructure('foo', { capacity: CAPACITY })]));
    const infrastructureRef = { apiVersion: `${GROUP}/v1alpha4`, kind: 'FooMachineTemplate', name: 'foo' };
    expect((await source.shape(resource('web', { infrastructureRef }))).problem).toBeNull();
    expect(paths(source)).toEqual([`/apis/${GROUP}/v1alpha4/namespaces/default/foomachinetemplates`]);
  });

  test.each<readonly [string, Handler, object, RegExp]>([
    ['is not there', serving([]), ref('foo'), /there is no FooMachineTemplate default\/foo/],
    ['has no capacity', serving([infrastructure('foo', {})]), ref('foo'), /has no capacity with cpu and memory/],
    [
      'has a capacity without memory',
      serving([infrastructure('foo', { capacity: { cpu: 1 } })]),
      ref('foo'),
      /no capacity/,
    ],
    ['has a status of another form', serving([infrastructure('foo', { capacity: [] })]), ref('foo'), /no capacity/],
    [
      'is of a kind that is not served',
      serving([]),
      ref('foo', 'BarMachineTemplate'),
      /does not serve BarMachineTemplate/,
    ],
    ['is of no kind', serving([]), ref('foo', '../secrets'), /is no kind of an API group/],
    [
      'may not be read',
      (_, response) => refuse(response, 403, 'Forbidden', 'forbidden'),
      ref('foo'),
      /FooMachineTemplate of infrastructure.cluster.x-k8s.io cannot be read: .*403/,
    ],
  ])(
    'one that %s leaves its group without a template, others go on',
    async (_, handler, infrastructureRef, problem) => {
      await using source = await templateSource(handler);
      const groups = [
        resource('bad', { infrastructureRef }),
        resource('good', { annotations: WHOLE, infrastructureRef }),
      ];
      const [bad, good] = await source.shapes(groups);
      expect(bad).toMatch(problem);
      expect(bad).toContain(`annotate it with ${PREFIX}cpu`);
      expect(good).toBeNull();
    },
  );

  test('what could not be read is tried again after a minute, and what is new is found then', async () => {
    const items: object[] = [];
    await using source = await templateSource(serving(items));
    const group = resource('web', { infrastructureRef: ref('foo') });
    expect((await source.shape(group)).problem).toContain('there is no');
    items.push(infrastructure('foo', { capacity: CAPACITY }));
    source.pass(minutes(1) - 1);
    expect((await source.shape(group)).problem).toContain('there is no');
    source.pass(1);
    expect((await source.shape(group)).problem).toBeNull();
  });
});

describe('from live nodes', () => {
  test('a ready one is preferred, without a request, with what annotations state and it has not got yet', async () => {
    await using source = await templateSource();
    const live = node('n1', { cpu: 2 }, { conditions: READY });
    const annotations = {
      [`${PREFIX}cpu`]: '64',
      [`${PREFIX}gpu-count`]: '1',
      [`${PREFIX}gpu-type`]: 'nvidia.com/gpu',
    };
    const group = resource('web', { annotations, infrastructureRef: ref('foo') });
    const { template } = await source.shape(group, [live]);
    expect(template!.node.capacity).toMatchObject({ cpu: 2_000, 'nvidia.com/gpu': 1 });
    expect(paths(source)).toEqual([]);
  });

  test('one that is not ready is the last resort', async () => {
    await using source = await templateSource();
    const broken = node('n1', { cpu: 2 }, { conditions: [] });
    expect((await source.shape(resource('web', { annotations: WHOLE }), [broken])).template!.node.capacity['cpu']).toBe(
      4_000,
    );
    expect((await source.shape(resource('web'), [broken])).template!.node.capacity['cpu']).toBe(2_000);
  });

  test('without any, and without anything else, the problem says what to do', async () => {
    await using source = await templateSource();
    expect(await source.shape(resource('web'))).toEqual({
      template: null,
      problem: `no node of it is known, and it names no infrastructure template; annotate it with ${PREFIX}cpu and ${PREFIX}memory`,
    });
  });
});
