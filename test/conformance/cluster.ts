import type { KubernetesMinor } from '../../core/model/cluster/kubernetes-version.ts';
import type { Random } from './random.ts';

/** A Kubernetes object as the API server takes it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    /** Any time: the object is deleted right after it was made, and lingers. */
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly unknown[];
  };
  readonly spec?: Fields;
  readonly status?: Fields;
  /** Not of Kubernetes: a claim that is made for this pod, and owned by it. */
  readonly ownedClaim?: Manifest;
  readonly [field: string]: unknown;
}
type Fields = Readonly<Record<string, unknown>>;

/** A cluster to ask about: existing objects, and pending pods, each of which is judged alone. */
export interface Cluster {
  readonly name: string;
  readonly objects: readonly Manifest[];
  readonly pending: readonly Manifest[];
}

export const NAMESPACES: readonly Manifest[] = [
  { name: 'blue', labels: { team: 'blue', env: 'prod' } },
  { name: 'green', labels: { team: 'green' } },
  { name: 'grey', labels: {} },
].map((metadata) => ({ apiVersion: 'v1', kind: 'Namespace', metadata }));

const ZONE = 'topology.kubernetes.io/zone';
const OLD_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const HOSTNAME = 'kubernetes.io/hostname';
const ZONES = ['a', 'b', 'c'] as const;
const NUMBERS = ['1', '2', '007', '10', '9223372036854775807', '9223372036854775808', 'v2', '3.5', ''] as const;
const EBS = 'ebs.csi.aws.com';
/** An extended resource of a DeviceClass, and the name by which every DeviceClass is one. */
const DEVICE = 'example.com/device';
const DEVICE_CLASS = 'deviceclass.resource.kubernetes.io/devices';

const storageClass = (name: string, provisioner: string, volumeBindingMode: string, zones?: readonly string[]) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner,
  volumeBindingMode,
  ...(zones === undefined ? {} : { allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: zones }] }] }),
});

/** Objects that are the same for every cluster. */
export const FIXTURES: readonly Manifest[] = [
  ...NAMESPACES,
  storageClass('wait', EBS, 'WaitForFirstConsumer'),
  storageClass('wait-zone', EBS, 'WaitForFirstConsumer', ['a', 'b']),
  storageClass('wait-in-tree', 'kubernetes.io/aws-ebs', 'WaitForFirstConsumer'),
  storageClass('wait-static', 'kubernetes.io/no-provisioner', 'WaitForFirstConsumer'),
  storageClass('immediate', EBS, 'Immediate'),
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'boxed' },
    handler: 'boxed',
    overhead: { podFixed: { cpu: '150m', memory: '64Mi' } },
  },
  // No node has such devices, so that kube-scheduler can allocate none.
  {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'devices' },
    spec: { extendedResourceName: DEVICE },
  },
];

const CLASSES = ['wait', 'wait-zone', 'wait-in-tree', 'wait-static', 'immediate', 'nowhere', ''] as const;
const APPS = ['web', 'db', 'cache'] as const;
const SELECTOR_KEYS = ['app', 'version', 'tier'] as const;

/** The first version with PodGroups, whose `spec.schedulingGroup` earlier API servers do not know. */
export const WITH_POD_GROUPS: KubernetesMinor = 37;

/**
 * A cluster made by chance: small, and full of what the filters check. In half of them nodes have room and hardly any
 * taints, so that the filters that come last decide.
 *
 * @param minor the version of the API server.
 */
export function randomCluster(name: string, random: Random, pendingCount: number, minor: KubernetesMinor): Cluster {
  const roomy = random.chance(0.5);
  const nodes = Array.from({ length: random.int(1, random.chance(0.1) ? 24 : 8) }, (_, i) =>
    node(`${name}-n${i}`, random, roomy),
  );
  const nodeNames = nodes.map(({ metadata }) => metadata.name);
  const storage = random.chance(0.5) ? storageObjects(name, nodeNames, random) : NO_STORAGE;
  const running = Array.from({ length: random.int(0, nodes.length * 3) }, (_, i) =>
    runningPod(`${name}-r${i}`, nodeNames, storage, random),
  );
  const pending = Array.from({ length: pendingCount }, (_, i) =>
    pendingPod(`${name}-p${i}`, nodeNames, storage, random),
  );
  const grouped = minor >= WITH_POD_GROUPS && random.chance(0.5);
  const groups = grouped ? NAMESPACES.map(({ metadata }) => podGroup(`${name}-g`, metadata.name, random)) : [];
  const joining = (pod: Manifest): Manifest => (grouped && random.chance(0.5) ? inPodGroup(pod, `${name}-g`) : pod);
  return {
    name,
    objects: [...groups, ...nodes, ...storage.objects, ...running.map(joining)],
    pending: pending.map(joining),
  };
}

/**
 * A PodGroup that one pod is enough for. With a larger `minCount` kube-scheduler judges members until too few are left,
 * and says of the others what it says of the PodGroup.
 */
const podGroup = (name: string, namespace: string, random: Random): Manifest => ({
  apiVersion: 'scheduling.k8s.io/v1beta1',
  kind: 'PodGroup',
  metadata: { name, namespace },
  spec: { schedulingPolicy: random.chance(0.5) ? { basic: {} } : { gang: { minCount: 1 } } },
});

const inPodGroup = (pod: Manifest, podGroupName: string): Manifest => ({
  ...pod,
  spec: { ...pod.spec, schedulingGroup: { podGroupName } },
});

const RESTARTS_ALL_FEATURE = 'RestartAllContainersOnContainerExits';
/** Fields of a container that only nodes with the feature can run. API servers below 1.36 refuse its pod. */
const RESTARTS_ALL: Fields = {
  restartPolicy: 'Never',
  restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
};

const given = (condition: boolean, fields: Fields): Fields => (condition ? fields : {});

function node(name: string, random: Random, roomy: boolean): Manifest {
  const trouble = (probability: number): boolean => random.chance(roomy ? probability / 2 : probability);
  const zone = random.pick(ZONES);
  const labels = {
    ...(random.chance(0.93) ? { [HOSTNAME]: random.chance(0.95) ? name : 'shared' } : {}),
    ...(random.chance(0.8) ? { [ZONE]: zone } : {}),
    ...(random.chance(0.15) ? { [OLD_ZONE]: random.pick(ZONES) } : {}),
    ...(random.chance(0.5) ? { [REGION]: random.pick(['north', 'south']) } : {}),
    ...(random.chance(0.4) ? { 'topology.ebs.csi.aws.com/zone': random.chance(0.8) ? zone : random.pick(ZONES) } : {}),
    ...(random.chance(0.6) ? { disk: random.pick(['ssd', 'hdd']) } : {}),
    ...(random.chance(0.6) ? { size: random.pick(NUMBERS.filter((value) => value !== '')) } : {}),
    ...(random.chance(0.4) ? { rack: random.pick(['r1', 'r2', 'r3', 'r4']) } : {}),
  };
  const taints = [
    ...(trouble(0.2) ? [{ key: 'dedicated', value: random.pick(['gpu', 'db', '']), effect: 'NoSchedule' }] : []),
    ...(trouble(0.1) ? [{ key: 'spot', value: 'yes', effect: 'PreferNoSchedule' }] : []),
    ...(trouble(0.12) ? [{ key: 'going', effect: random.pick(['NoExecute', 'NoSchedule']) }] : []),
    ...(trouble(0.05) ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : []),
  ];
  const amounts = {
    cpu: roomy ? '32' : random.pick(['500m', '1', '2', '3900m', '4']),
    memory: roomy ? '256Gi' : random.pick(['512Mi', '1Gi', '4Gi', '7500000k']),
    pods: String(roomy ? 110 : random.pick([0, 2, 3, 5, 10, 110])),
    ...given(random.chance(0.7), { 'ephemeral-storage': random.pick(['1Gi', '20Gi']) }),
    ...given(random.chance(0.4), { 'nvidia.com/gpu': random.pick(['0', '1', '4']) }),
    ...given(random.chance(0.4), { [DEVICE]: random.pick(['0', '1', '4']) }),
    ...given(random.chance(0.3), { 'hugepages-2Mi': random.pick(['0', '64Mi']) }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { taints, ...given(trouble(0.1), { unschedulable: true }) },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
      // Dropped by API servers below 1.36.
      ...given(random.chance(0.7), { declaredFeatures: [RESTARTS_ALL_FEATURE] }),
    },
  };
}

// --- storage ---

interface Storage {
  readonly objects: readonly Manifest[];
  /** Claims by namespace. */
  readonly claims: Readonly<Record<string, readonly string[]>>;
}
type StorageClasses = () => string;
const NO_STORAGE: Storage = { objects: [], claims: {} };

function storageObjects(name: string, nodes: readonly string[], random: Random): Storage {
  // Volumes and claims of one class find each other.
  const favourite = random.chance(0.6) ? 'wait-static' : random.pick(CLASSES);
  const classes: StorageClasses = () => (random.chance(0.7) ? favourite : random.pick(CLASSES));
  const volumes = Array.from({ length: random.int(0, 6) }, (_, i) =>
    persistentVolume(`${name}-v${i}`, nodes, classes, random),
  );
  const names = volumes.map(({ metadata }) => metadata.name);
  const claims = Array.from({ length: random.int(1, 7) }, (_, i) =>
    claim(`${name}-c${i}`, names, nodes, classes, random),
  );
  const csiNodes = nodes.flatMap((node) => (random.chance(0.6) ? [csiNode(node, random)] : []));
  const attachments = volumes.flatMap((volume, i) =>
    random.chance(0.2)
      ? [
          {
            apiVersion: 'storage.k8s.io/v1',
            kind: 'VolumeAttachment',
            metadata: { name: `${name}-a${i}` },
            spec: {
              attacher: EBS,
              nodeName: random.pick(nodes),
              source: { persistentVolumeName: volume.metadata.name },
            },
          },
        ]
      : [],
  );
  const csiDrivers = random.chance(0.4) ? [csiDriver(random)] : [];
  return {
    objects: [...csiDrivers, ...volumes, ...claims, ...csiNodes, ...attachments],
    claims: Object.groupBy(claims, ({ metadata }) => metadata.namespace!) as never,
  };
}

const volumeModes = (random: Random): string => (random.chance(0.95) ? 'Filesystem' : 'Block');
const accessModes = (random: Random): readonly string[] =>
  random.chance(0.15) ? ['ReadWriteOncePod'] : random.pick([['ReadWriteOnce'], ['ReadWriteOnce', 'ReadOnlyMany']]);

function persistentVolume(name: string, nodes: readonly string[], classes: StorageClasses, random: Random): Manifest {
  const affinity = random.pick([
    null,
    [{ matchExpressions: [{ key: ZONE, operator: 'In', values: random.some(ZONES, random.int(1, 2)) }] }],
    [
      {
        matchExpressions: [
          { key: OLD_ZONE, operator: 'In', values: random.some(ZONES, 2) },
          { key: 'failure-domain.beta.kubernetes.io/region', operator: 'In', values: ['north'] },
        ],
      },
    ],
    [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values: [random.pick(nodes)] }] }],
    [
      { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] },
      { matchExpressions: [{ key: ZONE, operator: 'DoesNotExist' }] },
    ],
  ]);
  const labels = {
    ...(random.chance(0.25)
      ? { [random.pick([ZONE, OLD_ZONE])]: random.pick(['a', 'b', 'a__b', 'b__c', 'a____b']) }
      : {}),
    ...(random.chance(0.1) ? { [REGION]: random.pick(['north', 'south']) } : {}),
    ...(random.chance(0.4) ? { quality: random.pick(['gold', 'tin']) } : {}),
  };
  const source = random.chance(0.6)
    ? { csi: { driver: random.pick([EBS, EBS, 'other.csi']), volumeHandle: `vol-${name}` } }
    : { awsElasticBlockStore: { volumeID: random.pick([`vol-${name}`, `aws://a/vol-${name}`]) } };
  const reserved = random.chance(0.2)
    ? { claimRef: { namespace: random.pick(NAMESPACES).metadata.name, name: name.replace('-v', '-c') } }
    : {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels, ...(random.chance(0.05) ? DELETED : {}) },
    spec: {
      capacity: { storage: random.pick(['1Gi', '2Gi', '5Gi', '10Gi']) },
      accessModes: accessModes(random),
      volumeMode: volumeModes(random),
      storageClassName: classes(),
      ...source,
      ...reserved,
      ...(affinity === null ? {} : { nodeAffinity: { required: { nodeSelectorTerms: affinity } } }),
    },
    status: { phase: random.pick(['Available', 'Available', 'Available', 'Available', 'Pending', 'Released']) },
  };
}

const DELETED = { finalizers: ['example.com/hold'], deletionTimestamp: '2026-01-01T00:00:00Z' } as const;

function claim(
  name: string,
  volumes: readonly string[],
  nodes: readonly string[],
  classes: StorageClasses,
  random: Random,
): Manifest {
  const bound = random.chance(0.4);
  const volumeName = random.chance(0.1) || volumes.length === 0 ? 'missing-volume' : random.pick(volumes);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace: random.chance(0.6) ? 'blue' : random.pick(NAMESPACES).metadata.name,
      annotations: {
        ...(bound && random.chance(0.92) ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {}),
        ...(!bound && random.chance(0.12) ? { 'volume.kubernetes.io/selected-node': random.pick(nodes) } : {}),
        ...(random.chance(0.04) ? { 'volume.beta.kubernetes.io/storage-class': 'wait' } : {}),
      },
      ...(random.chance(0.04) ? DELETED : {}),
    },
    spec: {
      accessModes: random.chance(0.15) ? ['ReadWriteOncePod'] : ['ReadWriteOnce'],
      volumeMode: volumeModes(random),
      storageClassName: classes(),
      resources: { requests: { storage: random.pick(['1Gi', '1Gi', '2Gi', '5Gi', '20Gi']) } },
      ...given(bound, { volumeName }),
      ...given(!bound && random.chance(0.15), { selector: { matchLabels: { quality: 'gold' } } }),
    },
    ...(random.chance(0.04) ? { status: { phase: 'Lost' } } : {}),
  };
}

/** A cluster has one at most: kube-scheduler names any one of several drivers that a node lacks. */
const csiDriver = (random: Random): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: random.pick([EBS, EBS, 'other.csi']) },
  // Dropped by API servers below 1.37.
  spec: { attachRequired: true, preventPodSchedulingIfMissing: random.chance(0.8) },
});

function csiNode(name: string, random: Random): Manifest {
  const driver = (driverName: string) => ({
    name: driverName,
    nodeID: name,
    topologyKeys: [ZONE],
    ...given(random.chance(0.85), { allocatable: { count: random.int(0, 3) } }),
  });
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: {
      name,
      ...(random.chance(0.5)
        ? {
            annotations: {
              'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/gce-pd,kubernetes.io/aws-ebs',
            },
          }
        : {}),
    },
    spec: { drivers: [driver(EBS), ...(random.chance(0.4) ? [driver('other.csi')] : [])] },
  };
}

// --- pods ---

function runningPod(name: string, nodes: readonly string[], storage: Storage, random: Random): Manifest {
  const pod = anyPod(name, storage, random, { constrained: 0.35, claims: 0.4, orphans: false });
  const spec = { ...pod.spec, nodeName: random.chance(0.96) ? random.pick(nodes) : 'gone' };
  if (random.chance(0.1)) {
    return { ...pod, spec, metadata: { ...pod.metadata, deletionTimestamp: DELETED.deletionTimestamp } };
  }
  if (random.chance(0.1)) {
    // Without ports: the scheduler keeps a node's ports as a set, so one of two pods that were forced onto the same port
    // takes it away from the other when it finishes.
    return { ...pod, spec: withoutPorts(spec), status: { phase: random.pick(['Succeeded', 'Failed']) } };
  }
  if (random.chance('resources' in spec ? 0.6 : 0.15)) {
    return { ...pod, spec, status: { phase: 'Running', ...resized(spec, random) } };
  }
  return { ...pod, spec };
}

const withoutPorts = (spec: Fields): Fields => {
  const plain = (containers: unknown): unknown =>
    (containers as readonly Fields[]).map((each) => ({ ...each, ports: [] }));
  const initContainers = spec['initContainers'];
  return {
    ...spec,
    containers: plain(spec['containers']),
    ...given(initContainers !== undefined, { initContainers: plain(initContainers ?? []) }),
  };
};

/**
 * The status of a pod that is being resized, as a kubelet reports it: of every container, and of the pod where it has
 * resources at that level. API servers below 1.36 drop the latter.
 */
function resized(spec: Fields, random: Random): Fields {
  const amounts = () => ({ cpu: random.pick(['50m', '300m', '1']), memory: random.pick(['64Mi', '700Mi']) });
  const allocation = () => ({ allocatedResources: amounts(), resources: { requests: amounts() } });
  const statuses = (containers: unknown): readonly Fields[] =>
    ((containers ?? []) as readonly Fields[]).map(({ name, resources }) => {
      const { requests: amountsOfSpec } = resources as { readonly requests: Fields };
      return {
        name,
        image: 'registry.example/app',
        imageID: '',
        ready: true,
        restartCount: 0,
        ...(name === 'main'
          ? allocation()
          : { allocatedResources: amountsOfSpec, resources: { requests: amountsOfSpec } }),
      };
    });
  return {
    containerStatuses: statuses(spec['containers']),
    initContainerStatuses: statuses(spec['initContainers']),
    ...given(spec['resources'] !== undefined, allocation()),
    conditions: random.chance(0.3)
      ? [{ type: 'PodResizePending', status: 'True', reason: random.pick(['Infeasible', 'Deferred']) }]
      : [],
  };
}

const devices = ({ resources }: Fields, random: Random): Fields => ({
  resources: {
    ...(resources as Fields),
    limits: { [random.chance(0.8) ? DEVICE : DEVICE_CLASS]: random.pick(['1', '2']) },
  },
});

function pendingPod(name: string, nodes: readonly string[], storage: Storage, random: Random): Manifest {
  const pod = anyPod(name, storage, random, { constrained: 0.8, claims: 0.6, orphans: true });
  const nodeAffinity = random.chance(0.3) ? requiredNodeAffinity(nodes, random) : null;
  const [main, ...others] = pod.spec!['containers'] as readonly [Fields, ...Fields[]];
  // Not both: kube-scheduler allocates devices before it filters by declared features.
  const more = random.chance(0.04) ? RESTARTS_ALL : random.chance(0.08) ? devices(main, random) : {};
  const spec = {
    ...pod.spec,
    containers: [{ ...main, ...more }, ...others],
    ...given(random.chance(0.15), { nodeSelector: { disk: random.pick(['ssd', 'hdd']) } }),
    tolerations: tolerations(random),
    affinity: {
      ...(pod.spec!['affinity'] as Fields | undefined),
      ...given(nodeAffinity !== null, {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: nodeAffinity } },
      }),
    },
  };
  return { ...pod, spec };
}

const tolerations = (random: Random): readonly Fields[] => [
  ...(random.chance(0.3) ? [{ key: 'dedicated', value: random.pick(['gpu', 'db', '']), effect: 'NoSchedule' }] : []),
  ...(random.chance(0.2) ? [{ key: 'going', operator: 'Exists' }] : []),
  ...(random.chance(0.1)
    ? [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }]
    : []),
  ...(random.chance(0.05) ? [{ operator: 'Exists' }] : []),
  ...(random.chance(0.05) ? [{ operator: 'Exists', effect: 'NoExecute' }] : []),
];

function requiredNodeAffinity(nodes: readonly string[], random: Random): readonly Fields[] {
  return Array.from({ length: random.int(1, 2) }, () => {
    const named = random.chance(0.2);
    return {
      ...given(!named || random.chance(0.4), {
        matchExpressions: Array.from({ length: random.int(1, 2) }, () => nodeRequirement(random)),
      }),
      ...given(named, {
        matchFields: [
          {
            key: 'metadata.name',
            operator: random.chance(0.75) ? 'In' : 'NotIn',
            values: [random.chance(0.9) ? random.pick(nodes) : 'elsewhere'],
          },
        ],
      }),
    };
  });
}

function nodeRequirement(random: Random): Fields {
  switch (random.int(0, 5)) {
    case 0:
      return { key: ZONE, operator: 'In', values: random.some(ZONES, random.int(1, 2)) };
    case 1:
      return { key: ZONE, operator: 'NotIn', values: random.some(ZONES, random.int(1, 2)) };
    case 2:
      return { key: random.pick(['disk', ZONE, 'rack']), operator: 'Exists' };
    case 3:
      return { key: random.pick(['disk', ZONE, 'rack']), operator: 'DoesNotExist' };
    default:
      return {
        key: 'size',
        operator: random.pick(['Gt', 'Lt']),
        values: [random.pick(['0', '1', '6', '007', '9223372036854775806'])],
      };
  }
}

interface PodTaste {
  /** How likely spread, affinity and ports are. */
  readonly constrained: number;
  readonly claims: number;
  /** A generic ephemeral volume may lack its claim. */
  readonly orphans: boolean;
}

function anyPod(name: string, storage: Storage, random: Random, taste: PodTaste): Manifest {
  // Most pods are of one workload, or else hardly any would be counted by another's selector.
  const common = random.chance(0.5);
  const namespace = common ? 'blue' : random.pick(NAMESPACES).metadata.name;
  const labels = {
    ...(random.chance(0.9) ? { app: common ? 'web' : random.pick(APPS) } : {}),
    ...(random.chance(0.5) ? { version: random.pick(['1', '2']) } : {}),
    ...(random.chance(0.3) ? { tier: random.pick(['front', 'back']) } : {}),
  };
  const constrained = random.chance(taste.constrained);
  const podLevel = random.chance(0.08);
  const initContainers = random.chance(0.15) ? initContainersOf(random, constrained) : [];
  const scratch = storage === NO_STORAGE ? null : random.chance(0.08) ? random.pick(CLASSES) : null;
  const volumes = [
    ...(scratch === null
      ? []
      : [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: claimSpec(scratch) } } }]),
    ...(random.chance(taste.claims) ? claimVolumes(namespace, storage, random) : []),
    ...(random.chance(0.1) ? [disk(random)] : []),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    ...(scratch !== null && random.chance(taste.orphans ? 0.7 : 1)
      ? { ownedClaim: ephemeralClaim(`${name}-scratch`, namespace, scratch, taste.orphans && random.chance(0.1)) }
      : {}),
    spec: {
      terminationGracePeriodSeconds: 1,
      ...given(random.chance(0.06), { runtimeClassName: 'boxed' }),
      ...given(podLevel, { resources: { requests: { cpu: '2500m', memory: '1600Mi' } } }),
      ...given(initContainers.length > 0, { initContainers }),
      containers: [
        {
          name: 'main',
          image: 'registry.example/app',
          resources: { requests: podLevel ? { cpu: '100m' } : requests(random) },
          ports: constrained && random.chance(0.25) ? [hostPort(random)] : [],
        },
        ...(random.chance(0.1)
          ? [{ name: 'second', image: 'registry.example/app', resources: { requests: { cpu: '1m', memory: '1001m' } } }]
          : []),
      ],
      ...given(volumes.length > 0, { volumes }),
      ...given(constrained && random.chance(0.5), { topologySpreadConstraints: spread(random, labels) }),
      affinity: constrained ? podAffinity(random, labels) : {},
    },
  };
}

const hostPort = (random: Random): Fields => ({
  containerPort: 80,
  hostPort: random.pick([8080, 8081]),
  protocol: random.pick(['TCP', 'TCP', 'UDP']),
  ...given(random.chance(0.5), { hostIP: random.pick(['0.0.0.0', '127.0.0.1', '127.0.0.2', '::']) }),
});

const requests = (random: Random): Fields => ({
  ...given(random.chance(0.7), { cpu: random.pick(['0', '100m', '250m', '0.5', '1', '2100m']) }),
  ...given(random.chance(0.6), { memory: random.pick(['64Mi', '200M', '512Mi', '1Gi', '1.5Gi']) }),
  ...given(random.chance(0.08), { 'ephemeral-storage': random.pick(['100Mi', '2Gi']) }),
});

function initContainersOf(random: Random, ports: boolean): readonly Fields[] {
  return Array.from({ length: random.int(1, 3) }, (_, i) => ({
    name: `init${i}`,
    image: 'registry.example/app',
    resources: { requests: requests(random) },
    ...given(random.chance(0.5), { restartPolicy: 'Always' }),
    ...given(ports && random.chance(0.2), { ports: [hostPort(random)] }),
  }));
}

const claimSpec = (storageClassName: string): Fields => ({
  accessModes: ['ReadWriteOnce'],
  storageClassName,
  resources: { requests: { storage: '1Gi' } },
});

/** A stranger is a claim of the right name that was not made for the pod. */
const ephemeralClaim = (name: string, namespace: string, storageClassName: string, stranger: boolean): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace, ...(stranger ? { labels: { stranger: 'yes' } } : {}) },
  spec: claimSpec(storageClassName),
});

function claimVolumes(namespace: string, storage: Storage, random: Random): readonly Fields[] {
  const claims = (storage.claims[namespace] ?? []) as unknown as readonly Manifest[];
  const names = random.some(claims, random.int(1, 3)).map(({ metadata }) => metadata.name);
  const missing = claims.length > 0 && random.chance(0.04) ? ['missing-claim'] : [];
  return [...names, ...missing].map((claimName, i) => ({ name: `claim${i}`, persistentVolumeClaim: { claimName } }));
}

function disk(random: Random): Fields {
  const readOnly = random.chance(0.5);
  switch (random.int(0, 3)) {
    case 0:
      return { name: 'disk', awsElasticBlockStore: { volumeID: random.pick(['vol-1', 'aws://a/vol-1']), readOnly } };
    case 1:
      return { name: 'disk', gcePersistentDisk: { pdName: random.pick(['pd-1', 'pd-2']), readOnly } };
    case 2:
      return {
        name: 'disk',
        iscsi: {
          targetPortal: '10.0.0.1',
          iqn: random.pick(['iqn.2001-04.com.example:a', 'iqn.2001-04.com.example:b']),
          lun: 0,
          readOnly,
        },
      };
    default:
      return {
        name: 'disk',
        rbd: {
          monitors: random.some(['m1', 'm2', 'm3'], 2),
          pool: 'rbd',
          image: random.pick(['one', 'two']),
          readOnly,
        },
      };
  }
}

function labelSelector(random: Random): Fields {
  return random.chance(0.08)
    ? {}
    : random.chance(0.75)
      ? { matchLabels: { app: random.pick(APPS), ...given(random.chance(0.2), { version: '1' }) } }
      : {
          matchExpressions: [
            random.pick<Fields>([
              { key: 'app', operator: 'In', values: random.some(APPS, 2) },
              { key: 'app', operator: 'NotIn', values: [random.pick(APPS)] },
              { key: random.pick(SELECTOR_KEYS), operator: 'Exists' },
              { key: random.pick(SELECTOR_KEYS), operator: 'DoesNotExist' },
            ]),
          ],
        };
}

/** Mostly what a workload selects: its own pods. */
const ownSelector = (random: Random, labels: Readonly<Record<string, string>>): Fields =>
  labels['app'] === undefined ? labelSelector(random) : { matchLabels: { app: labels['app'] } };

function spread(random: Random, labels: Readonly<Record<string, string>>): readonly Fields[] {
  const topologyKeys = random.some([ZONE, HOSTNAME, 'rack', 'nowhere'], random.pick([1, 1, 1, 2, 2, 3]));
  return topologyKeys
    .filter((key) => key !== 'nowhere' || random.chance(0.2))
    .map((topologyKey) => {
      const hard = random.chance(0.9);
      return {
        maxSkew: random.pick([1, 1, 1, 2, 3]),
        topologyKey,
        whenUnsatisfiable: hard ? 'DoNotSchedule' : 'ScheduleAnyway',
        ...given(random.chance(0.95), {
          labelSelector: random.chance(0.5) ? ownSelector(random, labels) : labelSelector(random),
        }),
        ...given(hard && random.chance(0.3), { minDomains: random.int(2, 5) }),
        ...given(random.chance(0.3), { nodeAffinityPolicy: random.pick(['Honor', 'Ignore']) }),
        ...given(random.chance(0.5), { nodeTaintsPolicy: random.pick(['Honor', 'Ignore']) }),
        ...given(random.chance(0.25), { matchLabelKeys: ['tier'] }),
      };
    })
    .map((constraint) =>
      'labelSelector' in constraint && !JSON.stringify(constraint['labelSelector']).includes('tier')
        ? constraint
        : { ...constraint, matchLabelKeys: [] },
    );
}

function podAffinity(random: Random, labels: Readonly<Record<string, string>>): Fields {
  const terms = (most: number): readonly Fields[] =>
    Array.from({ length: random.int(1, most) }, () => podAffinityTerm(random, labels));
  return {
    ...given(random.chance(0.25), { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms(2) } }),
    ...given(random.chance(0.35), { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms(2) } }),
  };
}

function podAffinityTerm(random: Random, labels: Readonly<Record<string, string>>): Fields {
  const selector = random.chance(0.25) ? ownSelector(random, labels) : labelSelector(random);
  const keys = JSON.stringify(selector).includes('tier') ? null : random.pick(['matchLabelKeys', 'mismatchLabelKeys']);
  return {
    topologyKey: random.pick([ZONE, ZONE, HOSTNAME, HOSTNAME, 'rack', 'nowhere']),
    labelSelector: selector,
    ...given(random.chance(0.15), { namespaces: random.some(['blue', 'green', 'grey', 'unknown'], random.int(1, 2)) }),
    ...given(random.chance(0.2), {
      namespaceSelector: random.pick([
        {},
        { matchLabels: { team: 'blue' } },
        { matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] },
        {
          matchExpressions: [
            { key: 'env', operator: 'DoesNotExist' },
            { key: 'team', operator: 'Exists' },
          ],
        },
      ]),
    }),
    ...given(keys !== null && random.chance(0.15), { [keys ?? '']: ['tier'] }),
  };
}
