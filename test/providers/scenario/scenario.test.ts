import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../core/model/options.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { explainInvalid } from '../../../providers/manifest/invalid.ts';
import { STATE_PARTS } from '../../../providers/schema/state.ts';
import { readScenario } from '../../../providers/scenario/scenario.ts';

const HEAD = { apiVersion: 'outrigger.dev/v1alpha1', kind: 'Scenario', now: '2026-01-01T12:00:00Z' };
const GROUP = { name: 'web', minSize: 0, maxSize: 10, targetSize: 1 };
const TIME = Date.parse(HEAD.now);

function scenario(part: object): Scenario {
  const read = readScenario({ ...HEAD, ...part });
  if (!read.ok) {
    throw new Error(read.error.map(explainInvalid).join('\n'));
  }
  return read.value;
}

function complaints(part: object): readonly string[] {
  const read = readScenario({ ...HEAD, ...part });
  return read.ok ? [] : read.error.map(explainInvalid);
}

const pod = (name: string, spec: object = {}, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [], ...spec },
  ...more,
});

const node = (name: string, part: object = {}): object => ({ kind: 'Node', metadata: { name }, ...part });

describe('what a scenario may leave out', () => {
  it('is nearly everything', () => {
    expect(scenario({})).toMatchObject({
      name: '',
      provider: 'aws',
      now: TIME,
      seed: 1,
      options: defaultOptions(),
      nodeGroups: [],
      state: EMPTY_STATE,
    });
  });

  it('has the version of the API server where it is given', () => {
    expect(scenario({ kubernetesVersion: '1.35' }).objects.kubernetesMinor).toBe(35);
    expect(scenario({}).objects).not.toHaveProperty('kubernetesMinor');
  });

  it('takes null for absent', () => {
    const nothing = {
      metadata: null,
      provider: null,
      seed: null,
      kubernetesVersion: null,
      options: null,
      nodeGroups: null,
      objects: null,
      state: null,
    };
    expect(scenario(nothing)).toEqual(scenario({}));
  });

  it.each([
    [
      'has neither node nor status: unschedulable, old enough to act on',
      pod('p'),
      { reason: 'Unschedulable', since: null },
    ],
    ['has an empty status', pod('p', {}, { status: {} }), { reason: 'Unschedulable', since: null }],
    ['is gated', pod('p', { schedulingGates: [{ name: 'g' }] }), { reason: 'SchedulingGated', since: null }],
    ['no scheduler has seen', pod('p', {}, { status: { phase: 'Pending' } }), null],
    ['is on a node', pod('p', { nodeName: 'n' }), null],
  ])('of a pod that %s', (_what, raw, unscheduled) => {
    expect(scenario({ objects: [raw] }).objects.pods[0]!.unscheduled).toEqual(unscheduled);
  });

  it('of a pod on a node: it runs and is ready', () => {
    expect(scenario({ objects: [pod('p', { nodeName: 'n' })] }).objects.pods[0]).toMatchObject({
      phase: 'Running',
      ready: true,
    });
  });

  it.each([
    ['its conditions: it is ready', {}, [{ type: 'Ready', status: 'True', reason: '', since: null }]],
    ['nothing, and has no condition: it is not ready', { status: { conditions: [] } }, []],
  ])('of a node is %s', (_what, part, conditions) => {
    expect(scenario({ objects: [node('n', part)] }).objects.nodes[0]!.conditions).toEqual(conditions);
  });

  it.each([
    ['PersistentVolume', { claimRef: { name: 'c' } }, 'Bound'],
    ['PersistentVolume', {}, 'Available'],
    ['PersistentVolumeClaim', { volumeName: 'v' }, 'Bound'],
    ['PersistentVolumeClaim', {}, 'Pending'],
  ])('of a %s %j is the phase: %s', (kind, spec, phase) => {
    const { objects } = scenario({ objects: [{ kind, metadata: { name: 'x' }, spec }] });
    expect([...objects.persistentVolumes, ...objects.persistentVolumeClaims]).toMatchObject([{ phase }]);
  });

  it('of objects is the uid, by which owners are found all the same', () => {
    const { objects } = scenario({
      objects: [
        { kind: 'ReplicaSet', apiVersion: 'apps/v1', metadata: { name: 'web', namespace: 'shop' } },
        {
          kind: 'Pod',
          metadata: {
            name: 'web-1',
            namespace: 'shop',
            ownerReferences: [{ kind: 'ReplicaSet', name: 'web', controller: true }],
          },
        },
      ],
    });
    expect(objects.pods[0]!.controller!.uid).toBe(objects.controllers[0]!.uid);
    expect(objects.pods[0]!.uid).not.toBe('');
  });

  it.each([
    ['its own number', { priority: 7, priorityClassName: 'high' }, 7],
    ['the class it names', { priorityClassName: 'high' }, 1_000],
    ['a class of every cluster', { priorityClassName: 'system-node-critical' }, 2_000_001_000],
    ['the class that is the default', {}, -5],
  ])('of a pod is its priority, which is that of %s', (_what, spec, priority) => {
    const priorityClass = (name: string, value: number, globalDefault: boolean): object => ({
      kind: 'PriorityClass',
      metadata: { name },
      value,
      globalDefault,
    });
    const { objects } = scenario({
      objects: [pod('p', spec), priorityClass('high', 1_000, false), priorityClass('low', -5, true)],
    });
    expect(objects.pods[0]!.spec.priority).toBe(priority);
  });

  it('of a group are its instances: one running for each node, as its Node says', () => {
    const objects = [
      node('n1', {
        metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'us-east-1a' } },
        spec: { providerID: 'aws:///us-east-1a/i-1' },
      }),
    ];
    expect(scenario({ objects, nodeGroups: [{ ...GROUP, nodes: ['n1', 'n2'] }] }).nodeGroups[0]!.instances).toEqual([
      { id: 'i-1', node: 'n1', zone: 'us-east-1a', state: 'Running', error: null },
      { id: 'n2', node: 'n2', zone: null, state: 'Running', error: null },
    ]);
  });

  it('of a group are not its instances where it lists none', () => {
    expect(scenario({ nodeGroups: [{ ...GROUP, nodes: ['n1'], instances: [] }] }).nodeGroups[0]!.instances).toEqual([]);
  });

  it.each([
    [{ allocatable: { cpu: '96' } }, 96_000, 96_000],
    [{ capacity: { cpu: '96' } }, 96_000, 96_000],
    [{ capacity: { cpu: '96' }, allocatable: { cpu: '95' } }, 96_000, 95_000],
  ])('of a node are its capacity and what it offers, where only one is given: %j', (status, capacity, allocatable) => {
    const [web] = scenario({ nodeGroups: [{ ...GROUP, template: { status } }] }).nodeGroups;
    expect(web!.template!.node).toMatchObject({ capacity: { cpu: capacity }, allocatable: { cpu: allocatable } });
  });

  it('of a template is its name', () => {
    const template = { status: { allocatable: { cpu: '2' } } };
    expect(scenario({ nodeGroups: [{ ...GROUP, template }] }).nodeGroups[0]!.template).toMatchObject({
      node: { name: 'template-node-for-web', allocatable: { cpu: 2_000 } },
      pods: [],
    });
    expect(scenario({ nodeGroups: [GROUP] }).nodeGroups[0]!.template).toBeNull();
  });
});

describe('the documented example', () => {
  const state = {
    unneededSince: { 'node-7': '2026-01-01T11:45:00Z' },
    unregisteredSince: { 'i-2': '2026-01-01T11:58:00Z' },
    backoff: {
      'web-b': {
        until: '2026-01-01T12:04:00Z',
        duration: '5m',
        lastFailure: '2026-01-01T11:59:00Z',
        class: 'OutOfResources',
      },
    },
    scaleUpRequests: [
      { group: 'web-a', increase: 2, time: '2026-01-01T11:57:00Z', expectedAddTime: '2026-01-01T12:12:00Z' },
    ],
    deletionsInProgress: [{ node: 'node-9', group: 'web-a', kind: 'drain', since: '2026-01-01T11:59:00Z' }],
    scaleDownRequests: [
      { group: 'web-a', node: 'node-9', time: '2026-01-01T11:59:00Z', expectedDeleteTime: '2026-01-01T12:04:00Z' },
    ],
    unremovableUntil: { 'node-8': '2026-01-01T12:02:00Z' },
    recentEvictions: [],
    lastEvaluation: '2026-01-01T11:59:00Z',
    incorrectSize: { 'web-a': { current: 8, expected: 10, firstObserved: '2026-01-01T11:50:00Z' } },
    seenErrors: { 'web-a': ['i-2'] },
    shortages: [{ type: 'm5.large', zone: 'us-east-1a', capacityType: 'spot', until: '2026-01-01T12:03:00Z' }],
    lastScaleUp: '2026-01-01T11:57:00Z',
    lastScaleDownDelete: null,
    lastScaleDownFailure: null,
    groups: { 'web-a': { lastScaleUp: '2026-01-01T11:57:00Z' } },
  };

  it('is read field by field', () => {
    const read = scenario({
      metadata: { name: 'three-zones' },
      options: { expander: ['least-waste'], balanceSimilarNodeGroups: true, scaleDownUnneededTime: '10m' },
      nodeGroups: [
        {
          name: 'web-a',
          minSize: 0,
          maxSize: 10,
          targetSize: 3,
          options: { scaleDownUnneededTime: '5m' },
          price: 0.192,
          nodes: ['node-1'],
          templatePods: [],
          instances: [
            { id: 'i-1', node: 'node-1', zone: 'us-east-1a', state: 'Running' },
            {
              id: 'i-2',
              zone: 'us-east-1a',
              state: 'Creating',
              error: { class: 'OutOfResources', code: 'InsufficientInstanceCapacity' },
            },
          ],
        },
      ],
      state,
    });
    expect(read.nodeGroups).toEqual([
      {
        name: 'web-a',
        minSize: 0,
        maxSize: 10,
        targetSize: 3,
        options: { scaleDownUnneededTime: 300_000 },
        template: null,
        templateProblem: null,
        alternatives: [],
        capacityType: null,
        price: 0.192,
        nodes: ['node-1'],
        instances: [
          { id: 'i-1', node: 'node-1', zone: 'us-east-1a', state: 'Running', error: null },
          {
            id: 'i-2',
            node: null,
            zone: 'us-east-1a',
            state: 'Creating',
            error: { class: 'OutOfResources', code: 'InsufficientInstanceCapacity', message: '' },
          },
        ],
        launchFailures: [],
        launchSuspended: false,
        paused: null,
        invalid: null,
      },
    ]);
    const minute = (n: number): number => TIME + n * 60_000;
    expect(read.state).toEqual({
      unneededSince: { 'node-7': minute(-15) },
      unregisteredSince: { 'i-2': minute(-2) },
      backoff: { 'web-b': { until: minute(4), duration: 300_000, lastFailure: minute(-1), class: 'OutOfResources' } },
      scaleUpRequests: [{ group: 'web-a', increase: 2, time: minute(-3), expectedAddTime: minute(12) }],
      deletionsInProgress: [{ node: 'node-9', group: 'web-a', kind: 'drain', since: minute(-1) }],
      scaleDownRequests: [{ group: 'web-a', node: 'node-9', time: minute(-1), expectedDeleteTime: minute(4) }],
      unremovableUntil: { 'node-8': minute(2) },
      recentEvictions: [],
      reservations: {},
      reservedPacking: {},
      lastEvaluation: minute(-1),
      incorrectSize: { 'web-a': { current: 8, expected: 10, firstObserved: minute(-10) } },
      seenErrors: { 'web-a': ['i-2'] },
      seenSizes: {},
      repairBackoff: {},
      shortages: [{ type: 'm5.large', zone: 'us-east-1a', capacityType: 'spot', until: minute(3) }],
      lastScaleUp: minute(-3),
      lastScaleDownDelete: null,
      lastScaleDownFailure: null,
      groups: { 'web-a': { lastScaleUp: minute(-3), lastScaleDownDelete: null, lastScaleDownFailure: null } },
    });
  });
});

it.each([
  [{ updating: true, zonesRebalanced: true }, ['Updating', 'ZonesRebalanced']],
  [{ updating: true, zonesRebalanced: false, cloudActions: ['NodeRepair'] }, ['NodeRepair', 'Updating']],
  [{ updating: false, zonesRebalanced: false }, undefined],
])('reads the actions of the cloud as version 0.1.0 wrote them: %j', (written, actions) => {
  expect(scenario({ nodeGroups: [{ ...GROUP, ...written }] }).nodeGroups[0]!.cloudActions).toEqual(actions);
  expect(complaints({ nodeGroups: [{ ...GROUP, ...written, updating: 'yes' }] })).not.toEqual([]);
});

it('lists failed launches among the instances, with IDs of their own', () => {
  const error = { class: 'Quota', code: 'VcpuLimitExceeded' };
  const failed = { id: 'i-placeholder-web-0', state: 'Creating', error };
  const [read] = scenario({ nodeGroups: [{ ...GROUP, instances: [failed, { ...failed, id: 'i-1' }] }] }).nodeGroups;
  expect(read!.launchFailures).toEqual([{ id: 'i-placeholder-web-0', zone: null, ...error, message: '' }]);
  expect(read!.instances.map(({ id }) => id)).toEqual(['i-1']);
});

describe('objects', () => {
  it('are taken out of the lists that kubectl prints', () => {
    const list = {
      kind: 'List',
      items: [node('n1'), { kind: 'PodList', apiVersion: 'v1', items: [{ metadata: { name: 'p' } }] }],
    };
    const { objects } = scenario({ objects: [list] });
    expect([objects.nodes[0]!.name, objects.pods[0]!.name]).toEqual(['n1', 'p']);
  });

  it.each([
    ['Service', 'v1'],
    ['Event', 'v1'],
    ['CronJob', 'batch/v1'],
    ['Lease', 'coordination.k8s.io/v1'],
    ['Role', 'rbac.authorization.k8s.io/v1'],
    ['Deployment', 'example.com/v1'],
    ['Podd', 'example.com/v1'],
  ])('of kind %s in %s decide nothing and are passed over', (kind, apiVersion) => {
    const { objects } = scenario({ objects: [{ kind, apiVersion, metadata: { name: 'x' } }] });
    expect(Object.values(objects).flat()).toEqual([]);
  });

  it('of one name and several namespaces or kinds are several', () => {
    const inNamespace = (namespace: string, kind: string): object => ({ kind, metadata: { name: 'x', namespace } });
    const objects = [inNamespace('a', 'Pod'), inNamespace('b', 'Pod'), inNamespace('a', 'ReplicaSet')];
    expect(complaints({ objects })).toEqual([]);
  });
});

describe('excluded nodes', () => {
  const excludedNodes = (one: object) => scenario({ excludedNodes: [one] }).objects.excludedNodes;

  it('have a reason, and a message where there is more to say', () => {
    expect(excludedNodes({ node: 'n1', reason: 'UnreadablePod', message: 'Pod a/b: spec' })).toEqual([
      { node: 'n1', reason: 'UnreadablePod', message: 'Pod a/b: spec' },
    ]);
    expect(excludedNodes({ node: 'n1', reason: 'UnreadableNode' })).toEqual([
      { node: 'n1', reason: 'UnreadableNode', message: '' },
    ]);
  });

  it.each([
    ['Pod a/b: spec: expected an object, found 7', 'UnreadablePod'],
    ['CSINode n1: spec: expected an object, found 7', 'UnreadableCSINode'],
    ['something about it', 'UnreadableNode'],
  ])('of older documents have the message for a reason: %s', (message, reason) => {
    expect(excludedNodes({ node: 'n1', reason: message })).toEqual([{ node: 'n1', reason, message }]);
  });

  it('have no other reason beside a message', () => {
    expect(complaints({ excludedNodes: [{ node: 'n1', reason: 'UnreadablePodd', message: 'x' }] })).toEqual([
      'excludedNodes[0].reason: expected one of UnreadableNode, UnreadablePod, UnreadableCSINode, UnreadableVolumeAttachment, UnexpectedError (did you mean UnreadablePod?), found "UnreadablePodd"',
    ]);
  });
});

describe('a mistake is told with its place', () => {
  it.each<[string, object, readonly string[]]>([
    ['another document', { kind: 'Decision' }, ['kind: expected Scenario, found "Decision"']],
    ['another version', { apiVersion: 'v1' }, ['apiVersion: expected outrigger.dev/v1alpha1, found "v1"']],
    ['no time', { now: null }, ['now: expected a time such as 2026-01-01T12:00:00Z, found nothing']],
    ['no such time', { now: 'noon' }, ['now: expected a time such as 2026-01-01T12:00:00Z, found "noon"']],
    [
      'an unknown field',
      { nodegroups: [] },
      [
        'nodegroups: expected one of apiVersion, kind, metadata, provider, now, seed, kubernetesVersion, options, nodeGroups, objects, excludedNodes, notices, pauses, commitments, externalChoices, state (did you mean nodeGroups?), found "nodegroups"',
      ],
    ],
    ['a provider', { provider: 'gcp' }, ['provider: expected one of aws, clusterapi, found "gcp"']],
    ['a seed', { seed: 1.5 }, ['seed: expected an integer, found 1.5']],
    [
      'a group without a name',
      { nodeGroups: [{ ...GROUP, name: undefined }] },
      ['nodeGroups[0].name: expected a name, found nothing'],
    ],
    [
      'a fractional target',
      { nodeGroups: [{ ...GROUP, targetSize: 1.5 }] },
      ['nodeGroups[0].targetSize: expected an integer, found 1.5'],
    ],
    [
      'a negative size',
      { nodeGroups: [{ ...GROUP, minSize: -1 }] },
      ['nodeGroups[0].minSize: expected an integer of at least 0, found -1'],
    ],
    [
      'no maximum',
      { nodeGroups: [{ name: 'web', minSize: 0, targetSize: 0 }] },
      ['nodeGroups[0].maxSize: expected an integer of at least 0, found nothing'],
    ],
    [
      'an instance type',
      { nodeGroups: [{ ...GROUP, instanceType: 'm5.large' }] },
      [
        'nodeGroups[0].instanceType: expected template: with the labels and the allocatable resources of its nodes, in place of an instance type, found "m5.large"',
      ],
    ],
    [
      'a minimum above the maximum',
      { nodeGroups: [{ ...GROUP, minSize: 11 }] },
      ['nodeGroups[0].minSize: expected at most maxSize, 10, found 11'],
    ],
    [
      'two groups of one name',
      { nodeGroups: [GROUP, GROUP] },
      ['nodeGroups[1].name: expected each group once (this one is nodeGroups[0].name already), found "web"'],
    ],
    [
      'a node in two groups',
      {
        nodeGroups: [
          { ...GROUP, nodes: ['n'], instances: [] },
          { ...GROUP, name: 'b', nodes: ['n'], instances: [] },
        ],
      },
      ['nodeGroups[1].nodes[0]: expected each node once (this one is nodeGroups[0].nodes[0] already), found "n"'],
    ],
    [
      'an instance twice',
      { nodeGroups: [{ ...GROUP, instances: [{ id: 'i-1' }, { id: 'i-1' }] }] },
      [
        'nodeGroups[0].instances[1]: expected each instance once (this one is nodeGroups[0].instances[0] already), found "i-1"',
      ],
    ],
    [
      'a state of an instance',
      { nodeGroups: [{ ...GROUP, instances: [{ id: 'i-1', state: 'runing' }] }] },
      [
        'nodeGroups[0].instances[0].state: expected one of Creating, Running, Deleting (did you mean Running?), found "runing"',
      ],
    ],
    [
      'pods of a template that is not there',
      { nodeGroups: [{ ...GROUP, templatePods: [pod('p')] }] },
      ['nodeGroups[0].template: expected the node that carries the templatePods, found nothing'],
    ],
    [
      'a quantity of a template',
      { nodeGroups: [{ ...GROUP, template: { status: { capacity: { cpu: 'four' } } } }] },
      ['nodeGroups[0].template.status.capacity.cpu: expected a quantity such as 500m, 2 or 1.5Gi, found "four"'],
    ],
    [
      'a price',
      { nodeGroups: [{ ...GROUP, price: '$0.19' }] },
      ['nodeGroups[0].price: expected a price in USD per hour, such as 0.192, found "$0.19"'],
    ],
    [
      'an object twice',
      { objects: [node('n'), node('n')] },
      ['objects[1]: expected each object once (this one is objects[0] already), found "Node n"'],
    ],
    [
      'the same pod in a list and beside it',
      { objects: [pod('p'), { kind: 'List', items: [pod('p')] }] },
      ['objects[1].items[0]: expected each object once (this one is objects[0] already), found "Pod default/p"'],
    ],
    [
      'a mistyped kind',
      {
        objects: [
          { kind: 'Pdo', metadata: { name: 'p' } },
          { kind: 'node', apiVersion: 'v1' },
        ],
      },
      [
        'objects[0].kind: expected a kind that Kubernetes knows (did you mean Pod?), found "Pdo"',
        'objects[1].kind: expected a kind that Kubernetes knows (did you mean Node?), found "node"',
      ],
    ],
    [
      'no kind',
      { objects: [{ metadata: { name: 'p' } }] },
      ['objects[0].kind: expected the kind of a Kubernetes object, found nothing'],
    ],
    ['no object', { objects: ['pod'] }, ['objects[0]: expected an object, found "pod"']],
    [
      'a priority class that is not there',
      { objects: [pod('p', { priorityClassName: 'high' })] },
      ['objects[0].spec.priorityClassName: expected the name of a PriorityClass among the objects, found "high"'],
    ],
    [
      'a time of the state',
      { state: { unneededSince: { 'node.1': 'now' } } },
      ['state.unneededSince["node.1"]: expected a time such as 2026-01-01T12:00:00Z, found "now"'],
    ],
    [
      'half an entry of the state',
      { state: { backoff: { web: { until: '2026-01-01T12:00:00Z', duration: '5m' } } } },
      [
        'state.backoff.web.lastFailure: expected a time such as 2026-01-01T12:00:00Z, found nothing',
        'state.backoff.web.class: expected one of OutOfResources, Quota, Addresses, Configuration, Authorization, Throttled, Timeout, Other, found nothing',
      ],
    ],
    [
      'an unknown field of the state',
      { state: { lastScaleup: null } },
      [
        `state.lastScaleup: expected one of ${Object.keys(STATE_PARTS).join(', ')} (did you mean lastScaleUp?), found "lastScaleup"`,
      ],
    ],
    [
      'several at once',
      { seed: 'x', nodeGroups: [{ ...GROUP, maxSize: 'ten' }], options: { maxNodesTotal: -1 } },
      [
        'seed: expected an integer, found "x"',
        'options.maxNodesTotal: expected an integer of at least 0, found -1',
        'nodeGroups[0].maxSize: expected an integer, found "ten"',
      ],
    ],
    [
      'a version of Kubernetes that YAML reads as a number',
      { kubernetesVersion: 1.36 },
      ['kubernetesVersion: expected a version of Kubernetes, such as "1.36", found 1.36'],
    ],
    [
      'a version that is none of Kubernetes',
      { kubernetesVersion: 'v2' },
      ['kubernetesVersion: expected a version of Kubernetes, such as "1.36", found "v2"'],
    ],
    [
      'the expander external without a function to ask',
      { options: { expander: 'external' } },
      [
        'options.externalExpander: expected the ARN of the Lambda function that the expander external asks, found nothing',
      ],
    ],
    [
      'a function that is no ARN',
      { options: { expander: 'external', externalExpander: 'choose' } },
      [
        'options.externalExpander: expected the ARN of a Lambda function such as arn:aws:lambda:eu-west-1:111122223333:function:expander, found "choose"',
      ],
    ],
  ])('%s', (_what, part, expected) => {
    expect(complaints(part)).toEqual(expected);
  });

  it.each([null, 7, 'x', [], undefined])('no document: %j', (raw) => {
    expect(readScenario(raw)).toMatchObject({ ok: false, error: [{ place: '', expected: 'an object' }] });
  });
});
