import * as fc from 'fast-check';
import { nodeName } from '../../../core/model/values/names.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import {
  type AmountsSpec,
  type Container,
  NEW_POD,
  type Pod,
  type PodSpec,
  type Volume,
} from '../../../core/model/cluster/pod.ts';
import { NO_RESOURCES, type Resources } from '../../../core/model/values/resources.ts';
import type { QuotaScope } from '../../../core/model/cluster/resource-quota.ts';
import type { ClusterObjects } from '../../../core/model/scenario.ts';
import type { LabelSelector, NodeRequirement, NodeSelectorTerm } from '../../../core/model/cluster/selectors.ts';
import { type EpochMs, epochMs } from '../../../core/model/values/time.ts';
import type { Controller, ControllerKind } from '../../../core/model/cluster/workloads.ts';
import { WHY_NODE_EXCLUDED } from '../../../core/words/why-node-excluded.ts';
import { resizeOf } from '../../../providers/manifest/pod-resize.ts';
import { daemonTolerations } from '../../../providers/manifest/taints.ts';

/** Everything that an API server may hold, as the vocabulary of the core: what reads and writes must agree on. */

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('true', '007', '~', '<<', '- a', '2026-01-01', '日本', '__proto__'),
);
export const name = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/),
  fc.string({ minLength: 1, maxLength: 5 }),
  fc.constantFrom('<<', '__proto__', '7'),
);
const few = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(item, { maxLength: 2 });
const orNull = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(item, { nil: null });

// Documents keep milliseconds at the finest; years have four digits.
export const time: fc.Arbitrary<EpochMs> = fc.oneof(
  fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => epochMs(seconds * 1_000)),
  fc.integer({ min: 0, max: 253_402_300_799_999 }).map(epochMs),
);

const labels = fc.dictionary(name, text, { maxKeys: 3 });
const count = fc.integer({ min: 0, max: 1_000_000 });
const whole = fc.oneof(
  count,
  fc.integer({ min: 0, max: 64 }).map((n) => n * 2 ** 30),
  // Four terabytes, or four billion CPUs: in milli, thousandfold, they are still exact.
  fc.maxSafeNat().map((n) => n % 2 ** 42),
);
// Thousandths of a byte and of a milli-CPU are no invention: `100m` of memory is a common mistake.
const amount = fc.oneof(
  whole,
  fc.integer({ min: 1, max: 999_999 }).map((n) => n / 1_000),
);
const resourceName = fc.constantFrom('cpu', 'memory', 'pods', 'ephemeral-storage', 'nvidia.com/gpu', 'hugepages-2Mi');
const requests: fc.Arbitrary<Resources> = fc.dictionary(resourceName, amount, { maxKeys: 3 });
const capacity: fc.Arbitrary<Resources> = fc.dictionary(resourceName, whole, { maxKeys: 4 });

const requirement: fc.Arbitrary<NodeRequirement> = fc.record({
  key: name,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Odd'),
  values: few(text),
});
const term: fc.Arbitrary<NodeSelectorTerm> = fc.record({
  matchExpressions: few(requirement),
  matchFields: few(requirement),
});
const selector: fc.Arbitrary<LabelSelector | null> = orNull(
  fc.record({ matchLabels: labels, matchExpressions: few(requirement) }),
);

const labelKey = fc.constantFrom('app', 'example.com/team', 'kubernetes.io/arch');
const labelValue = fc.constantFrom('web', 'true', '1.0', '');
const among = {
  operator: fc.constantFrom('In', 'NotIn'),
  values: fc.array(labelValue, { minLength: 1, maxLength: 2 }),
};
/** A selector that Kubernetes accepts: the reader refuses all others. */
const validSelector: fc.Arbitrary<LabelSelector | null> = orNull(
  fc.record({
    matchLabels: fc.dictionary(labelKey, labelValue, { maxKeys: 2 }),
    matchExpressions: few(
      fc.oneof(
        fc.record({ key: labelKey, ...among }),
        fc.record({
          key: labelKey,
          operator: fc.constantFrom('Exists', 'DoesNotExist'),
          values: fc.constant([] as string[]),
        }),
      ),
    ),
  }),
);
const quotaScope: fc.Arbitrary<QuotaScope> = fc.oneof(
  fc.record({
    name: fc.constantFrom('Terminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity'),
    operator: fc.constant('Exists'),
    values: fc.constant([] as string[]),
  }),
  fc.record({ name: fc.constant('PriorityClass'), ...among }),
);

const podTerm = fc.record({
  topologyKey: name,
  labelSelector: selector,
  namespaces: few(text),
  namespaceSelector: selector,
  matchLabelKeys: few(text),
  mismatchLabelKeys: few(text),
});
const weighted = <T>(item: fc.Arbitrary<T>) => fc.record({ weight: count, term: item });

const spread = fc.record({
  maxSkew: count,
  topologyKey: name,
  whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
  labelSelector: selector,
  minDomains: orNull(count),
  nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore'),
  nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
  matchLabelKeys: few(text),
});

const toleration = fc.record({
  key: text,
  operator: fc.constantFrom('', 'Equal', 'Exists'),
  value: text,
  effect: fc.constantFrom('', 'NoSchedule', 'NoExecute'),
  tolerationSeconds: orNull(fc.integer()),
});

const volume: fc.Arbitrary<Volume> = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const), name, claimName: name, readOnly: fc.boolean() }),
  fc.record({ kind: fc.constant('ephemeralClaim' as const), name }),
  fc.record({ kind: fc.constant('csi' as const), name, driver: name }),
  fc.record({ kind: fc.constant('emptyDir' as const), name, medium: fc.constantFrom('', 'Memory') }),
  fc.record({ kind: fc.constant('hostPath' as const), name }),
  fc.record({
    kind: fc.constant('disk' as const),
    name,
    type: fc.constantFrom('gcePersistentDisk' as const, 'awsElasticBlockStore' as const, 'iscsi' as const),
    id: name,
    monitors: fc.constant([]),
    readOnly: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('disk' as const),
    name,
    type: fc.constant('rbd' as const),
    id: fc.constantFrom('rbd/image', 'pool/image'),
    monitors: few(text),
    readOnly: fc.boolean(),
  }),
);

const hostPort = fc.record({
  hostIP: fc.constantFrom('', '0.0.0.0', '10.0.0.1', '::'),
  hostPort: fc.integer({ min: 1, max: 65_535 }),
  protocol: fc.constantFrom('TCP', 'UDP', 'SCTP'),
});

const container = (prefix: string, restartable: fc.Arbitrary<boolean>): fc.Arbitrary<Container> =>
  fc.record({
    name: fc.integer({ min: 0, max: 99 }).map((n) => `${prefix}${n}`),
    requests,
    hostPorts: few(hostPort),
    restartable,
  });

const containers = (prefix: string, restartable: fc.Arbitrary<boolean>) =>
  fc.uniqueArray(container(prefix, restartable), { maxLength: 2, selector: (one) => one.name });

const plainPodSpec: fc.Arbitrary<PodSpec> = fc.record({
  containers: containers('c', fc.constant(false)),
  initContainers: containers('i', fc.boolean()),
  overhead: requests,
  podRequests: orNull(requests),
  nodeSelector: labels,
  nodeAffinity: orNull(few(term)),
  preferredNodeAffinity: few(weighted(term)),
  podAffinity: few(podTerm),
  preferredPodAffinity: few(weighted(podTerm)),
  podAntiAffinity: few(podTerm),
  preferredPodAntiAffinity: few(weighted(podTerm)),
  topologySpread: few(spread),
  tolerations: few(toleration),
  volumes: few(volume),
  priority: orNull(fc.integer()),
  preemptionPolicy: fc.constantFrom('PreemptLowerPriority', 'Never'),
  schedulerName: name,
  schedulingGates: few(name),
  resourceClaims: few(name),
  terminationGracePeriodSeconds: count,
});

export const podSpec: fc.Arbitrary<PodSpec> = fc
  .tuple(plainPodSpec, fc.constantFrom({}, {}, { podGroup: 'training' }, { unknownField: 'tolerations.field 6' }))
  .chain(([spec, more]) =>
    fc
      .constantFrom({}, {}, { requiredFeatures: ['RestartAllContainersOnContainerExits'] })
      .map((features) => ({ ...spec, ...more, ...(spec.containers.length > 0 && features) })),
  );

const controllerRef = fc.record({
  apiVersion: fc.constantFrom('v1', 'apps/v1', 'apps.kruise.io/v1beta1'),
  kind: fc.constantFrom('ReplicaSet', 'DaemonSet', 'Job', 'Node'),
  name,
  uid: name,
});

const seen = orNull(requests);

const unresized: fc.Arbitrary<Pod> = fc
  .record({
    namespace: name,
    name,
    uid: name,
    labels,
    annotations: labels,
    createdAt: orNull(time),
    deletedAt: orNull(time),
    controller: orNull(controllerRef),
    nodeName: orNull(name.map(nodeName)),
    nominatedNodeName: orNull(name.map(nodeName)),
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
    unscheduled: orNull(
      fc.record({ reason: fc.constantFrom('', 'Unschedulable', 'SchedulingGated'), since: orNull(time) }),
    ),
    startedAt: orNull(time),
    ready: fc.boolean(),
    resize: fc.constant(null),
    spec: podSpec,
  })
  .map((one) => ({ ...one, unscheduled: one.nodeName === null ? one.unscheduled : null }));

/** A pod, perhaps one that is being resized in place. */
export const pod: fc.Arbitrary<Pod> = fc
  .record({
    one: unresized,
    allocated: fc.array(seen, { minLength: 4, maxLength: 4 }),
    actual: fc.array(requests, { minLength: 4, maxLength: 4 }),
    podLevel: fc.record({ allocated: seen, actual: seen }),
    infeasible: fc.boolean(),
    isResized: fc.boolean(),
  })
  .map(({ one, allocated, actual, podLevel, infeasible, isResized }) => {
    const running = [...one.spec.containers, ...one.spec.initContainers.filter(({ restartable }) => restartable)];
    const statuses = running.map((container, index) => ({
      name: container.name,
      allocated: allocated[index] ?? null,
      actual: actual[index] ?? {},
    }));
    const resize = { containers: statuses, ...podLevel, infeasible };
    return isResized ? { ...one, resize: resizeOf(one.spec, resize) } : one;
  });

const plainNode: fc.Arbitrary<Node> = fc.record({
  name: name.map(nodeName),
  uid: name,
  labels,
  annotations: labels,
  createdAt: orNull(time),
  deletedAt: orNull(time),
  providerId: orNull(name),
  unschedulable: fc.boolean(),
  taints: few(fc.record({ key: name, value: text, effect: name })),
  capacity,
  allocatable: capacity,
  conditions: few(fc.record({ type: name, status: name, reason: text, since: orNull(time) })),
});

export const node: fc.Arbitrary<Node> = fc
  .tuple(plainNode, fc.constantFrom({}, { declaredFeatures: ['RestartAllContainersOnContainerExits'] }))
  .map(([one, features]) => ({ ...one, ...features }));

/** The pod template of an owner whose pods look like this pod. */
const templatePodOf = (
  one: Pod,
  { namespace, name: of }: { readonly namespace: string; readonly name: string },
): Pod => ({ ...one, namespace, name: of, uid: '', createdAt: null, controller: null, ...NEW_POD });

const daemonTemplate = (controller: Pick<Controller, 'namespace' | 'name' | 'uid'>): fc.Arbitrary<Pod> =>
  fc.record({ one: unresized, hostNetwork: fc.boolean() }).map(({ one, hostNetwork }) => ({
    ...templatePodOf(one, controller),
    controller: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: controller.name, uid: controller.uid },
    spec: { ...one.spec, tolerations: daemonTolerations(one.spec.tolerations, hostNetwork) },
  }));

const controllerKinds: readonly ControllerKind[] = [
  'ReplicaSet',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'ReplicationController',
];

export const controller: fc.Arbitrary<Controller> = fc
  .record({ kind: fc.constantFrom(...controllerKinds), namespace: name, name, uid: name, replicas: count })
  .chain((one): fc.Arbitrary<Controller> =>
    one.kind === 'DaemonSet'
      ? daemonTemplate(one).map((template) => ({ ...one, replicas: null, template }))
      : fc.constant({ ...one, template: null }),
  );

const volumeMode = fc.constantFrom('Filesystem', 'Block');

const quotaAmounts = fc
  .record({ amounts: capacity, pods: orNull(count), limits: orNull(count) })
  .map(({ amounts, pods, limits }) => ({
    ...amounts,
    ...(pods !== null && { pods }),
    ...(limits !== null && { 'limits.cpu': limits }),
  }));

const orNothing = (of: Resources): Resources | null => (Object.keys(of).length === 0 ? null : of);

/** Limits of a template's containers. The API server takes a limit for the request where there is none: here each request stands. */
function limitsOf(
  { containers: own, initContainers, podRequests }: PodSpec,
  limited: readonly Resources[],
  podLimits: Resources | null,
): AmountsSpec {
  const named = (of: Resources, requested: Resources) =>
    Object.fromEntries(Object.entries(of).filter(([resource]) => resource in requested));
  const each = (list: readonly Container[], from: number) =>
    list.map(({ requests: requested, restartable }, i) => ({
      name: '',
      requests: named(limited[from + i]!, requested),
      hostPorts: [],
      restartable,
    }));
  return {
    containers: each(own, 0),
    initContainers: each(initContainers, 2),
    overhead: NO_RESOURCES,
    podRequests: podLimits === null || podRequests === null ? null : orNothing(named(podLimits, podRequests)),
  };
}

/** Objects of every kind, each named once. */
const condition = fc.record({ type: name, status: name, reason: name, message: name, since: orNull(time) });

export const clusterObjects: fc.Arbitrary<ClusterObjects> = fc.record({
  nodes: unique(node),
  pods: unique(pod),
  controllers: fc.uniqueArray(controller, {
    maxLength: 3,
    selector: (one) => `${one.kind} ${one.namespace}/${one.name}`,
  }),
  podDisruptionBudgets: unique(
    fc.record({
      namespace: name,
      name,
      selector,
      disruptionsAllowed: count,
      currentHealthy: count,
      desiredHealthy: count,
      expectedPods: count,
      unhealthyPodEvictionPolicy: fc.constantFrom('IfHealthyBudget', 'AlwaysAllow'),
      disruptedPods: fc.dictionary(name, orNull(time), { maxKeys: 2 }),
      generation: count,
      observedGeneration: count,
    }),
  ),
  namespaces: unique(
    fc
      .record({ name, labels })
      .map((one) => ({ ...one, labels: { ...one.labels, 'kubernetes.io/metadata.name': one.name } })),
  ),
  // A class that is the default for all would give its priority to the pods that have none.
  priorityClasses: unique(fc.record({ name, value: fc.integer(), globalDefault: fc.constant(false) })),
  configMaps: unique(fc.record({ namespace: name, name, data: labels, priorities: fc.constant(null) })),
  persistentVolumes: unique(
    fc.record({
      name,
      labels,
      storageClass: text,
      capacityBytes: whole,
      accessModes: few(text),
      volumeMode,
      phase: name,
      claimRef: orNull(fc.record({ namespace: name, name, uid: text })),
      nodeAffinity: orNull(few(term)),
      csi: orNull(
        fc.oneof(
          fc.record({ driver: name, handle: name, inTree: fc.constant(false) }),
          fc.record({
            driver: fc.constant('ebs.csi.aws.com'),
            handle: fc.stringMatching(/^vol-[0-9a-f]{4}$/),
            inTree: fc.constant(true),
          }),
        ),
      ),
      deleted: fc.boolean(),
    }),
  ),
  persistentVolumeClaims: unique(
    fc.record({
      namespace: name,
      name,
      uid: name,
      labels,
      annotations: labels,
      storageClass: orNull(text),
      volumeName: text,
      volumeMode,
      accessModes: few(text),
      requestBytes: whole,
      selector,
      phase: name,
      ownerPodUid: orNull(name),
      deleted: fc.boolean(),
    }),
  ),
  storageClasses: unique(
    fc.record({
      name,
      provisioner: name,
      bindingMode: fc.constantFrom('Immediate', 'WaitForFirstConsumer'),
      allowedTopologies: few(few(requirement.map((one) => ({ ...one, operator: 'In' })))),
      isDefault: fc.boolean(),
    }),
  ),
  csiNodes: unique(
    fc.record({
      name: name.map(nodeName),
      annotations: labels,
      drivers: few(fc.record({ name, nodeId: text, count: orNull(count) })),
    }),
  ),
  csiDrivers: unique(fc.record({ name, preventPodSchedulingIfMissing: fc.boolean() })),
  volumeAttachments: unique(
    fc.record({
      name,
      attacher: name,
      nodeName: name.map(nodeName),
      persistentVolume: orNull(name),
      attached: fc.boolean(),
    }),
  ),
  resourceSlices: unique(
    fc.record({ name, driver: name, nodeName: orNull(name.map(nodeName)), devices: fc.integer({ min: 0, max: 3 }) }),
  ),
  deviceClasses: unique(fc.record({ name, extendedResourceName: orNull(name) })),
  capacityBuffers: unique(
    fc.record({
      namespace: name,
      name,
      uid: name,
      generation: count,
      createdAt: orNull(time),
      strategy: name,
      podTemplate: orNull(name),
      scalable: orNull(fc.record({ apiGroup: text, kind: name, name })),
      replicas: orNull(count),
      percentage: orNull(count),
      limits: orNull(requests),
      conditions: few(condition),
      statusReplicas: orNull(count),
    }),
  ),
  resourceQuotas: unique(
    fc.record({ namespace: name, name, hard: quotaAmounts, used: quotaAmounts, scopes: few(quotaScope) }),
  ),
  provisioningRequests: unique(
    fc.record({
      namespace: name,
      name,
      uid: name,
      generation: count,
      resourceVersion: name,
      createdAt: orNull(time),
      className: name,
      podSets: few(fc.record({ podTemplate: name, count: fc.integer({ min: 1, max: 2 ** 31 - 1 }) })),
      parameters: labels,
      conditions: few(condition),
    }),
  ),
  podTemplates: unique(
    fc
      .record({
        namespace: name,
        name,
        generation: count,
        one: unresized,
        priorityClass: orNull(name),
        limited: fc.array(requests, { minLength: 4, maxLength: 4 }),
        podLimits: orNull(requests),
      })
      .map(({ one, priorityClass, limited, podLimits, ...of }) => ({
        ...of,
        pod: templatePodOf(one, of),
        limits: limitsOf(one.spec, limited, podLimits),
        ...(priorityClass !== null && { priorityClass }),
      })),
  ),
  capacityQuotas: unique(fc.record({ name, selector: validSelector, limits: requests })),
  podGroups: unique(
    fc.record({
      namespace: name,
      name,
      minCount: fc.nat({ max: 30 }),
      disruptedTogether: fc.boolean(),
      notSimulated: fc.constantFrom(
        null,
        'spec.schedulingConstraints',
        'spec.resourceClaims',
        'spec.parentCompositePodGroupName',
      ),
    }),
  ),
  excludedNodes: fc.array(
    fc.record({
      node: name.map(nodeName),
      reason: fc.constantFrom(...(Object.keys(WHY_NODE_EXCLUDED) as (keyof typeof WHY_NODE_EXCLUDED)[])),
      message: fc.string(),
    }),
    { maxLength: 2 },
  ),
});

function unique<T extends { readonly name: string; readonly namespace?: string }>(
  item: fc.Arbitrary<T>,
): fc.Arbitrary<T[]> {
  return fc.uniqueArray(item, { maxLength: 3, selector: (one) => `${one.namespace ?? ''}/${one.name}` });
}
