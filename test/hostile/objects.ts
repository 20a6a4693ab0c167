import type { RawObject } from './api-server.ts';
import { BEST_EFFORT_ATOMIC, CHECK_CAPACITY } from '../../core/model/cluster/provisioning-request.ts';
import type { Quirk, Recipe, Settings } from './recipes.ts';

/*
 * Every object that is made here is one that kube-apiserver 1.31 to 1.34 accepts from a user with the role `edit`; the
 * end-to-end test shows it the worst of them. The rules, from pkg/apis/core/validation and apimachinery's
 * pkg/api/validation:
 *
 * - an object has at most 1.5 MB (etcd's `--max-request-bytes`);
 * - names of pods, budgets and workloads are DNS subdomains of up to 253 characters, those of containers, volumes and
 *   ports DNS labels of up to 63;
 * - keys of labels and annotations are qualified names, so `constructor` is one and `__proto__` is none; values of labels
 *   have up to 63 characters; annotations take up to 262 144 bytes in all, and their values any text;
 * - `ownerReferences` require a version, a kind, a name and a uid that are not empty, and check none of them further;
 * - a claim's name in a volume only must not be empty;
 * - `terminationGracePeriodSeconds` and `tolerationSeconds` are any int64 (a grace period below 0 becomes 1); seconds of a
 *   toleration need the effect NoExecute; `activeDeadlineSeconds` is an int32 above 0;
 * - quantities are not negative; extended resources are whole numbers, the same in requests and limits;
 * - numbers of containers, terms, constraints, tolerations, volumes and gates in a pod are not limited; pairs of topology
 *   key and `whenUnsatisfiable` are distinct, `minDomains` needs DoNotSchedule;
 * - a mirror pod's annotation needs `spec.nodeName`, a pod's deletion cost is an int32; no other annotation is checked;
 * - `priority` comes from a PriorityClass by admission: here those that every cluster has, and an administrator's own;
 * - PodTemplates are held to the rules of pods; CapacityBuffers and ProvisioningRequests to their schemas: names that are not empty,
 *   numbers of replicas that are not negative, counts of pods of 1 at least, up to 32 sets;
 * - ResourceQuotas are administrators';
 * - `status` is not theirs to write: theirs is what controllers, kube-scheduler and kubelets make of such objects.
 */

export const EVIL = 'evil';
export const VICTIM = 'prod';
export const TIME = '2026-01-01T11:00:00Z';
const MAX_OBJECT = 1_500_000;
export const MAX_ANNOTATIONS = 262_144;

/** The Job whose pods go together, and the ReplicaSet of the victim's other pods. Their uids are in events and logs. */
export const TRAIN_UID = 'uid-train';
export const WEB_UID = 'uid-web';

/** Numbers beyond 2^53 are written as Go writes them. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };
const int64 = (digits: string): unknown => rawJSON(digits);
const INT64_MAX = int64('9223372036854775807');

export const pick = <T>(from: readonly T[], choice: number): T => from[choice % from.length]!;
const repeat = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Text of letters and digits that no compression folds: a multiplicative generator's. */
const NOISE = ((): string => {
  let state = 1;
  let text = '';
  while (text.length < 1_000_000) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += (state >>> 6).toString(36);
  }
  return text;
})();

const noise = (length: number, seed: number): string => {
  const from = (seed * 7_919) % (NOISE.length - length);
  return NOISE.slice(from, from + length);
};

const MIRROR = 'kubernetes.io/config.mirror';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
/** The only annotation whose value is checked: an int32. */
const DELETION_COSTS = ['-2147483648', '2147483647', '0'] as const;

/** Annotations that are read, on pods. */
const READ_ANNOTATIONS = [
  'karpenter.sh/do-not-disrupt',
  'node-lifecycle.kubernetes.io/do-not-disrupt',
  'cluster-autoscaler.kubernetes.io/pod-scale-up-delay',
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
  'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes',
  'cluster-autoscaler.kubernetes.io/enable-ds-eviction',
  'cluster-autoscaler.kubernetes.io/daemonset-pod',
  DELETION_COST,
  'outrigger.dev/atomic',
  'karpenter.sh/do-not-evict',
  MIRROR,
  'constructor',
  'evil/hasOwnProperty',
] as const;

/** Values that make patterns and parsers slow. */
const LONG_VALUES: readonly string[] = [
  `${'1'.repeat(260_000)}!`,
  `${'1'.repeat(160_000)}!`,
  `${'1h'.repeat(100_000)}!`,
  `${' '.repeat(100_000)}x`,
  '.'.repeat(100_000),
  `${'9'.repeat(5_000)}h`,
  'a,'.repeat(100_000),
  noise(250_000, 7),
];

/** From the everyday to the absurd. */
export const VALUES: readonly string[] = [
  'true',
  'false',
  '',
  '30m',
  '2500000000h',
  '99999999999999999999999999999999h',
  '2562047h47m16.854775807s',
  '-1h',
  '1e400',
  'NaN',
  'Infinity',
  '-9223372036854775808',
  '2147483647',
  'on-completion',
  '0x7fffffffffffffff',
  '１２３h',
  '\u0000\u0001\u001b[2J\u001b]0;evil\u0007\u202e\ufeff',
  '{"__proto__":{"x":1}}',
  ...LONG_VALUES,
];

const OWNER_NAMES: readonly string[] = [
  'web',
  'a/b',
  '..',
  '.',
  '50%',
  '%2e%2e',
  'x?watch=true',
  'x#y',
  'constructor',
  '__proto__',
  ' ',
  '\u0000\n\u001b[31m',
  '../../../api/v1/nodes',
  'ü'.repeat(300),
  noise(300_000, 11),
];
const OWNERS: readonly { readonly apiVersion: string; readonly kind: string }[] = [
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'batch/v1', kind: 'Job' },
  { apiVersion: 'v1', kind: 'ReplicationController' },
  { apiVersion: 'v1', kind: 'Node' },
  { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'DaemonSet' },
  { apiVersion: 'evil.example/v1', kind: 'constructor' },
  { apiVersion: 'evil.example/v1', kind: '__proto__' },
];
const OWNER_UIDS: readonly string[] = ['uid-evil-owner', TRAIN_UID, WEB_UID, '__proto__', 'constructor'];

const CLAIM_NAMES: readonly string[] = ['data', 'x/y', '..', '50%', '\u001b[2J', 'constructor', noise(300_000, 13)];
const POD_NAMES: readonly string[] = ['constructor', 'tostring', '0', `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(61)];
/** Milli-CPU that are too few to matter, and amounts for no node. */
const CPUS = ['1m', '10m', '50m', '0', '5', '1000', '1n', '9223372036854775807'] as const;
/** Amounts that fit no node of four and a half CPUs, that are too little to matter, or that leave too little for others. */
const DAEMON_CPUS = ['10m', '1000', '5', '1m', '9223372036854775807', '1E', '3500m', '4', '0'] as const;
const QUANTITIES: readonly (readonly [resource: string, values: readonly string[]])[] = [
  ['memory', ['9223372036854775807', '1E', '1n', '0', '128974848', '1Ei']],
  ['ephemeral-storage', ['9223372036854775807', '1n', '7Ei']],
  ['hugepages-2Mi', ['2Mi', '9223372036852678656']],
  ['example.com/constructor', ['1', '9223372036854775807']],
  ['nvidia.com/gpu', ['1', '9223372036854775807']],
];
const REPLICAS: readonly number[] = [0, 1, 2, 2_147_483_647];
/** Pods of buffers and requests: from few to more than a namespace, a node group and a cluster may have. */
const VIRTUAL: readonly number[] = [1, 2, 3, 250, 5_000, 2_147_483_647];
const VIRTUAL_CPUS = ['1m', '0', '1', '3500m', '1000', '9223372036854775807'] as const;
const PRIORITIES: readonly number[] = [0, 1, 1_000_000_000, 2_000_000_000, 2_000_001_000, -10, -11, -2_147_483_648];
const PORT_MAX = 65_535;

interface Draft {
  metadata: Record<string, unknown>;
  spec: Record<string, unknown>;
}

/** Changes the parts of a manifest: later quirks of a kind replace earlier ones, as in any manifest. */
function apply(draft: Draft, quirk: Quirk, salt: number): void {
  const { metadata, spec } = draft;
  const merged = (of: Record<string, unknown>, field: string, entries: Readonly<Record<string, unknown>>): void => {
    of[field] = { ...(of[field] as object | undefined), ...entries };
  };
  const [container] = spec['containers'] as [Record<string, unknown>];
  switch (quirk.kind) {
    case 'annotation': {
      const key = pick(READ_ANNOTATIONS, quirk.key);
      const values = key === DELETION_COST ? DELETION_COSTS : VALUES;
      merged(metadata, 'annotations', { [key]: pick(values, quirk.value) });
      return;
    }
    case 'annotations': {
      const length = Math.min(quirk.length, Math.floor(MAX_ANNOTATIONS / quirk.count) - 20);
      merged(
        metadata,
        'annotations',
        Object.fromEntries(repeat(quirk.count, (i) => [`evil/a${i}`, noise(Math.max(0, length), salt + i)])),
      );
      return;
    }
    case 'labels':
      merged(metadata, 'labels', Object.fromEntries(repeat(quirk.count, (i) => [`evil/l${i}`, noise(63, salt + i)])));
      return;
    case 'integer':
      applyInteger(spec, container, quirk);
      return;
    case 'quantity': {
      const [resource, values] = pick(QUANTITIES, quirk.resource);
      const amounts = { [resource]: pick(values, quirk.value) };
      const before = container['resources'] as { requests?: object; limits?: object };
      const isExtended = resource.includes('/') || resource.startsWith('hugepages-');
      container['resources'] = {
        requests: { ...before.requests, ...amounts },
        ...(isExtended ? { limits: { ...before.limits, ...amounts } } : {}),
      };
      return;
    }
    case 'resources': {
      const amounts = Object.fromEntries(repeat(quirk.count, (i) => [`evil-${salt}.example/r${i}`, '1']));
      container['resources'] = { requests: amounts, limits: amounts };
      return;
    }
    case 'podTerms':
      applyPodTerms(spec, quirk, salt);
      return;
    case 'nodeTerms':
      applyNodeTerms(spec, quirk);
      return;
    case 'spread':
      spec['topologySpreadConstraints'] = repeat(quirk.count, (i) => ({
        maxSkew: i % 2 === 0 ? 1 : 2_147_483_647,
        topologyKey: `evil/k${i}`,
        whenUnsatisfiable: quirk.hard ? 'DoNotSchedule' : 'ScheduleAnyway',
        labelSelector: { matchExpressions: [{ key: `evil/k${i}`, operator: 'DoesNotExist' }] },
        ...(quirk.hard ? { minDomains: 2_147_483_647 } : {}),
      }));
      return;
    case 'tolerations':
      spec['tolerations'] = repeat(quirk.count, (i) => ({ key: `evil/t${i}`, operator: 'Exists' }));
      return;
    case 'nodeSelector':
      spec['nodeSelector'] = Object.fromEntries(repeat(quirk.count, (i) => [`evil/n${i}`, `v${i}`]));
      return;
    case 'owner': {
      metadata['ownerReferences'] = [
        {
          ...pick(OWNERS, quirk.of),
          name: pick(OWNER_NAMES, quirk.name),
          uid: pick(OWNER_UIDS, quirk.uid),
          controller: true,
        },
      ];
      return;
    }
    case 'together':
      merged(metadata, 'annotations', { 'outrigger.dev/atomic': 'true' });
      return;
    case 'claim':
      addVolumes(spec, quirk.count, (i) => ({
        persistentVolumeClaim: { claimName: i === 0 ? pick(CLAIM_NAMES, quirk.text) : `claim-${i}` },
      }));
      return;
    case 'volumes': {
      const sources = [{ emptyDir: {} }, { hostPath: { path: '/' } }, { configMap: { name: 'none' } }];
      addVolumes(spec, quirk.count, () => pick(sources, quirk.source));
      return;
    }
    case 'containers': {
      const field = quirk.init ? 'initContainers' : 'containers';
      const before = (spec[field] ?? []) as object[];
      const more = repeat(quirk.count, (i) => ({ name: `c${i}`, image: 'x', resources: { requests: { cpu: '0' } } }));
      spec[field] = [...before, ...more];
      return;
    }
    case 'hostPorts':
      container['ports'] = repeat(quirk.count, (i) => ({ containerPort: PORT_MAX - i, hostPort: PORT_MAX - i }));
      return;
    case 'gates':
      spec['schedulingGates'] = repeat(quirk.count, (i) => ({ name: `evil/g${i}` }));
      return;
    case 'name':
      metadata['name'] = pick(POD_NAMES, quirk.text);
      return;
    case 'finalizer':
      metadata['finalizers'] = ['evil.example/never'];
      return;
    case 'stubborn':
      return;
    case 'priority':
      spec['priority'] = pick(PRIORITIES, quirk.value);
      return;
    case 'scheduler':
      spec['schedulerName'] = pick(OWNER_NAMES, quirk.text);
      return;
  }
}

function applyInteger(
  spec: Record<string, unknown>,
  container: Record<string, unknown>,
  { field, value }: Extract<Quirk, { kind: 'integer' }>,
): void {
  const seconds = pick([INT64_MAX, 0, 1, int64('9007199254740993'), 2_147_483_648], value);
  const tolerationSeconds = pick([INT64_MAX, int64('-9223372036854775808'), 0, -1, int64('9007199254740993')], value);
  const fields: readonly (() => void)[] = [
    () => (spec['terminationGracePeriodSeconds'] = seconds),
    () => (spec['tolerations'] = [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds }]),
    () => (spec['activeDeadlineSeconds'] = 2_147_483_647),
    () => (container['ports'] = [{ containerPort: PORT_MAX, hostPort: pick([1, PORT_MAX], value) }]),
    () => (spec['securityContext'] = { runAsUser: 2_147_483_647, fsGroup: 2_147_483_647 }),
  ];
  pick(fields, field)();
}

/** Terms that match pods everywhere keep these from nodes only (`hostname`), or from what no node is labelled with. */
function applyPodTerms(
  spec: Record<string, unknown>,
  { where, count, selector }: Extract<Quirk, { kind: 'podTerms' }>,
  salt: number,
): void {
  const term = (i: number): object => {
    const expression = pick(
      [
        { key: `evil/k${i}-${salt}`, operator: 'DoesNotExist' },
        { key: `evil/k${i}-${salt}`, operator: 'Exists' },
        { key: 'constructor', operator: 'In', values: [`v${i}`, 'toString', ''] },
      ],
      selector,
    );
    return {
      labelSelector: { matchExpressions: [expression] },
      topologyKey: selector % 2 === 0 ? `evil/k${i}` : 'kubernetes.io/hostname',
      ...(selector % 4 < 2 ? { namespaceSelector: {} } : {}),
    };
  };
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const weighted = (i: number): object => ({ weight: 100, podAffinityTerm: term(i) });
  spec['affinity'] = pick<() => object>(
    [
      () => ({ podAntiAffinity: { [required]: repeat(count, term) } }),
      () => ({ podAffinity: { [required]: repeat(count, term) } }),
      () => ({ podAntiAffinity: { [preferred]: repeat(count, weighted) } }),
      () => ({ podAffinity: { [preferred]: repeat(count, weighted) } }),
    ],
    where,
  )();
}

function applyNodeTerms(
  spec: Record<string, unknown>,
  { preferred, count, each }: Extract<Quirk, { kind: 'nodeTerms' }>,
): void {
  const terms = repeat(Math.min(count, each > 3 ? 200 : count), (i) => ({
    matchExpressions: repeat(each, (j) =>
      j % 2 === 0
        ? { key: `evil/k${i}`, operator: 'NotIn', values: ['a', `v${j}`] }
        : { key: 'evil/n', operator: 'Gt', values: [j % 4 === 1 ? '9223372036854775808' : '0'] },
    ),
  }));
  const affinity = preferred
    ? {
        preferredDuringSchedulingIgnoredDuringExecution: terms.map((preference, i) => ({
          weight: 1 + (i % 100),
          preference,
        })),
      }
    : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  spec['affinity'] = { ...(spec['affinity'] as object | undefined), nodeAffinity: affinity };
}

function addVolumes(spec: Record<string, unknown>, count: number, source: (i: number) => object): void {
  const before = (spec['volumes'] ?? []) as object[];
  spec['volumes'] = [...before, ...repeat(count, (i) => ({ name: `v${before.length + i}`, ...source(i) }))];
}

/** A pod's template with as many of these quirks as fit into one object. */
function template(name: string, cpu: string, quirks: readonly Quirk[], salt: number): Draft {
  for (let left = quirks; ; left = left.slice(0, -1)) {
    const draft: Draft = {
      metadata: { name, labels: { app: 'evil' } },
      spec: { containers: [{ name: 'main', image: 'x', resources: { requests: { cpu } } }] },
    };
    left.forEach((quirk) => apply(draft, quirk, salt));
    if (left.every(isSmall)) {
      return draft;
    }
    const annotations = Object.entries((draft.metadata['annotations'] ?? {}) as Record<string, string>);
    const annotated = annotations.reduce((sum, [key, value]) => sum + key.length + Buffer.byteLength(value), 0);
    if (left.length === 0 || (annotated <= MAX_ANNOTATIONS && JSON.stringify(draft).length <= MAX_OBJECT)) {
      return draft;
    }
  }
}

/** Is there no need to check how large it is? Three of them are. */
const isSmall = (quirk: Quirk): boolean =>
  'count' in quirk ? quirk.count <= 200 : quirk.kind !== 'annotation' || pick(VALUES, quirk.value).length < 1_000;

/** An object of the hostile user, and when it comes. */
export interface Hostile {
  readonly kind: string;
  readonly object: RawObject;
  /** Bound to a node that is being drained, from then on. */
  readonly late: boolean;
  readonly stubborn: boolean;
}

/**
 * Makes the objects of these recipes.
 *
 * @param nodes that are there
 * @param most number of virtual pods that the namespace may have: what is booked is no more
 */
export const hostileObjects = (recipes: readonly Recipe[], nodes: readonly string[], most = 0): readonly Hostile[] => {
  const booked = recipes.findIndex((recipe) => recipe.kind === 'requests' && recipe.booked);
  const made = recipes.flatMap((recipe, i) => objectsOf(recipe, i, nodes, i === booked ? most : 0));
  // Two objects of one name are one object.
  return [...new Map(made.map((one) => [`${one.kind} ${one.object.metadata.name}`, one])).values()];
};

const plain = (kind: string, name: string, rest: object): Hostile => ({
  kind,
  object: {
    metadata: { name, namespace: EVIL, uid: `uid-${EVIL}-${kind}-${name}`, creationTimestamp: TIME, generation: 1 },
    ...rest,
  },
  late: false,
  stubborn: false,
});

/** The number of pods that the namespace may have beside these, as headroom. */
export const mostVirtual = ({ headroom, quota }: Settings): number =>
  quota === 'none' ? headroom : quota === 'limits' ? 0 : Math.min(headroom, quota);

/** The quota of the hostile namespace, if it has one. */
export function quotasBeside(hostile: readonly Hostile[], { quota }: Settings): readonly Hostile[] {
  const pods = hostile.filter(({ kind }) => kind === 'Pod').length;
  switch (quota) {
    case 'none':
      return [];
    case 'limits':
      return [quotaOf({ 'limits.cpu': '1', 'limits.memory': '1Gi' }, {})];
    default:
      return [quotaOf({ pods: String(pods + quota) }, { pods: String(pods) })];
  }
}

const quotaOf = (hard: object, used: object): Hostile =>
  plain('ResourceQuota', 'evil', { spec: { hard }, status: { hard, used } });

function objectsOf(recipe: Recipe, index: number, nodes: readonly string[], booked: number): readonly Hostile[] {
  switch (recipe.kind) {
    case 'buffers':
      return buffersOf(recipe, index);
    case 'group':
    case 'node':
    case 'machines':
      return [];
    case 'priorities':
      return [prioritiesOf(pick([...PRIORITY_TIERS, ...VALUES], recipe.value))];
    case 'requests':
      return requestsOf(recipe, index, booked);
    case 'pods':
      return repeat(recipe.count, (i) => podOf(recipe, `evil-${index}-${i}`, index * 100 + i, nodes));
    case 'budgets':
      return repeat(recipe.count, (i) =>
        plain(
          'PodDisruptionBudget',
          noise(recipe.length - 9, index * 10_000 + i) + `-${index}-${String(i).padStart(6, '0')}`.slice(0, 9),
          {
            spec: {
              selector: recipe.all ? {} : { matchLabels: { app: 'evil' } },
              ...(i % 2 === 0 ? { minAvailable: 2_147_483_647 } : { maxUnavailable: '0%' }),
            },
            status: {
              disruptionsAllowed: 0,
              currentHealthy: 0,
              desiredHealthy: 2_147_483_647,
              expectedPods: 1,
              observedGeneration: 1,
            },
          },
        ),
      );
    case 'daemonSet':
      return repeat(recipe.count, (i) =>
        plain('DaemonSet', `evil-daemon-${index}-${i}`, {
          spec: {
            selector: { matchLabels: { app: 'evil' } },
            template: template('', pick(DAEMON_CPUS, recipe.cpu), recipe.quirks, i),
          },
        }),
      );
    case 'workload': {
      const replicas = pick(REPLICAS, recipe.replicas);
      const of = template('', pick(CPUS, recipe.cpu), recipe.quirks, index);
      const labels = { app: 'evil' };
      const spec = {
        ReplicaSet: { replicas, selector: { matchLabels: labels } },
        StatefulSet: { replicas, selector: { matchLabels: labels }, serviceName: 'evil' },
        ReplicationController: { replicas, selector: labels },
        Job: { parallelism: replicas, completions: replicas },
      }[recipe.of];
      if (recipe.of === 'Job') {
        of.spec['restartPolicy'] = 'Never';
      }
      return [plain(recipe.of, `evil-workload-${index}`, { spec: { ...spec, template: of } })];
    }
    case 'claims':
      return repeat(recipe.count, (i) => ({
        ...plain('PersistentVolumeClaim', `claim-${index}-${i}`, {
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: pick(['wait', 'none', 'constructor', ''], recipe.text),
            // A name in the first claim says enough.
            volumeName: i === 0 ? pick(['', ...CLAIM_NAMES], recipe.text) : '',
            resources: { requests: { storage: pick(['9223372036854775807', '1', '8Ei', '1n'], recipe.size) } },
          },
          status: { phase: 'Pending' },
        }),
      }));
  }
}

function buffersOf(
  { count, replicas, by, cpu, quirks }: Extract<Recipe, { kind: 'buffers' }>,
  index: number,
): readonly Hostile[] {
  const name = `evil-buffer-${index}`;
  const wanted = pick(VIRTUAL, replicas);
  const amounts = {
    replicas: { replicas: wanted },
    limits: { limits: { cpu: pick(['9223372036854775807', '1n', '4'], replicas) } },
    scalable: { percentage: wanted },
  }[by];
  const of =
    by === 'scalable'
      ? { scalableRef: { ...pick(SCALABLES, cpu), name: pick(OWNER_NAMES, replicas) } }
      : { podTemplateRef: { name } };
  return [
    plain('PodTemplate', name, { template: template('', pick(VIRTUAL_CPUS, cpu), quirks, index) }),
    ...repeat(count, (i) => plain('CapacityBuffer', `${name}-${i}`, { spec: { ...of, ...amounts } })),
  ];
}

/** Expressions without an end, and what is no list of them. */
const PRIORITY_TIERS: readonly string[] = [
  '10:\n- (a+)+$\n- ([a-z]*)*!\n',
  '10:\n- "["\n',
  '9223372036854775808:\n- .*\n-1:\n- g1\n',
  '{"10": {"constructor": [".*"]}}',
  'a: &a [x, x]\nb: [*a, *a]\n',
  '- - - - -',
];
const prioritiesOf = (priorities: string): Hostile => ({
  kind: 'ConfigMap',
  object: {
    metadata: { name: 'cluster-autoscaler-priority-expander', namespace: 'kube-system', uid: 'uid-priorities' },
    data: { priorities },
  },
  late: false,
  stubborn: false,
});

const SCALABLES = [
  { apiGroup: 'apps', kind: 'Deployment' },
  { apiGroup: 'apps', kind: 'ReplicaSet' },
  { apiGroup: 'evil.example', kind: 'constructor' },
] as const;

function requestsOf(
  { count, pods, sets, text, cpu, quirks }: Extract<Recipe, { kind: 'requests' }>,
  index: number,
  booked: number,
): readonly Hostile[] {
  const name = `evil-request-${index}`;
  const wanted = pick(VIRTUAL, pods);
  const of = (podSets: readonly object[], status?: object): object => ({
    spec: {
      provisioningClassName: text % 3 === 2 ? CHECK_CAPACITY : BEST_EFFORT_ATOMIC,
      podSets,
      parameters: { ValidUntilSeconds: pick(['99999999999999999999', '-1', ...OWNER_NAMES], text), constructor: 'x' },
    },
    status,
  });
  const templateOf = (of: string, amount: string): Hostile =>
    plain('PodTemplate', of, { template: template('', amount, quirks, index) });
  const held = { podTemplateRef: { name: `${name}-held` }, count: Math.min(booked, wanted) };
  return [
    templateOf(name, pick(VIRTUAL_CPUS, cpu)),
    ...repeat(count, (i) =>
      plain(
        'ProvisioningRequest',
        `${name}-${i}`,
        of(repeat(sets, () => ({ podTemplateRef: { name }, count: wanted }))),
      ),
    ),
    // Capacity that is held beside the victim's own fits with it.
    ...(booked > 0
      ? [templateOf(`${name}-held`, '10m'), plain('ProvisioningRequest', `${name}-held`, of([held], BOOKED))]
      : []),
  ];
}

/** Capacity that is held for a request since a few minutes ago. */
export const BOOKED = {
  conditions: ['Accepted', 'Provisioned'].map((type) => ({
    type,
    status: 'True',
    reason: 'CapacityIsProvisioned',
    message: '',
    lastTransitionTime: '2026-01-01T11:55:00Z',
  })),
};

function podOf(
  { place, node, cpu, quirks }: Extract<Recipe, { kind: 'pods' }>,
  name: string,
  salt: number,
  nodes: readonly string[],
): Hostile {
  const { metadata, spec } = template(name, pick(CPUS, cpu), quirks, salt);
  const isPending = place === 'pending';
  const gated = Array.isArray(spec['schedulingGates']);
  if (isPending) {
    // Mirror pods have a node.
    delete (metadata['annotations'] as Record<string, string> | undefined)?.[MIRROR];
  } else {
    // A pod with gates cannot be bound.
    delete spec['schedulingGates'];
    spec['nodeName'] = nodes[node % nodes.length];
  }
  const terminating = place === 'terminating' ? { deletionTimestamp: TIME, finalizers: ['evil.example/never'] } : {};
  const status = isPending
    ? {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: gated ? 'SchedulingGated' : 'Unschedulable',
            lastTransitionTime: TIME,
          },
        ],
      }
    : { phase: 'Running', startTime: TIME, conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: TIME }] };
  return {
    kind: 'Pod',
    object: {
      metadata: {
        ...metadata,
        name: metadata['name'] as string,
        namespace: EVIL,
        uid: `uid-${EVIL}-${String(metadata['name'])}`,
        creationTimestamp: TIME,
        ...terminating,
      },
      spec,
      status,
    },
    late: place === 'late',
    stubborn: quirks.some(({ kind }) => kind === 'stubborn'),
  };
}
