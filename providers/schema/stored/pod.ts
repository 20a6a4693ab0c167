import * as z from 'zod';
import type { Pod, PodSpec, Volume } from '@outrigger/core/model/cluster/pod.ts';
import { labels, storedNode, resources, strings, storedTime } from './scalars.ts';

// Objects are loose: a field that a newer version wrote is kept rather than lost when an older one reads it.
const requirement = z.looseObject({ key: z.string(), operator: z.string(), values: strings });
const labelSelector = z.looseObject({ matchLabels: labels, matchExpressions: z.array(requirement) });
const nodeSelectorTerm = z.looseObject({ matchExpressions: z.array(requirement), matchFields: z.array(requirement) });
const weighted = <T extends z.ZodType>(term: T) => z.looseObject({ weight: z.number(), term });

const container = z.looseObject({
  name: z.string(),
  requests: resources,
  hostPorts: z.array(z.looseObject({ hostIP: z.string(), hostPort: z.number(), protocol: z.string() })),
  restartable: z.boolean(),
});

const podAffinityTerm = z.looseObject({
  topologyKey: z.string(),
  labelSelector: labelSelector.nullable(),
  namespaces: strings,
  namespaceSelector: labelSelector.nullable(),
  matchLabelKeys: strings,
  mismatchLabelKeys: strings,
});

const topologySpread = z.looseObject({
  maxSkew: z.number(),
  topologyKey: z.string(),
  whenUnsatisfiable: z.string(),
  labelSelector: labelSelector.nullable(),
  minDomains: z.number().nullable(),
  nodeAffinityPolicy: z.string(),
  nodeTaintsPolicy: z.string(),
  matchLabelKeys: strings,
});

const toleration = z.looseObject({
  key: z.string(),
  operator: z.string(),
  value: z.string(),
  effect: z.string(),
  tolerationSeconds: z.number().nullable(),
});

const volume: z.ZodType<Volume> = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('claim'), name: z.string(), claimName: z.string(), readOnly: z.boolean() }),
  z.looseObject({ kind: z.literal('ephemeralClaim'), name: z.string() }),
  z.looseObject({ kind: z.literal('csi'), name: z.string(), driver: z.string() }),
  z.looseObject({ kind: z.literal('emptyDir'), name: z.string(), medium: z.string() }),
  z.looseObject({ kind: z.literal('hostPath'), name: z.string() }),
  z.looseObject({
    kind: z.literal('disk'),
    name: z.string(),
    type: z.enum(['gcePersistentDisk', 'awsElasticBlockStore', 'iscsi', 'rbd']),
    id: z.string(),
    monitors: strings,
    readOnly: z.boolean(),
  }),
]);

const podSpec: z.ZodType<PodSpec> = z.looseObject({
  containers: z.array(container),
  initContainers: z.array(container),
  overhead: resources,
  podRequests: resources.nullable(),
  nodeSelector: labels,
  nodeAffinity: z.array(nodeSelectorTerm).nullable(),
  preferredNodeAffinity: z.array(weighted(nodeSelectorTerm)),
  podAffinity: z.array(podAffinityTerm),
  preferredPodAffinity: z.array(weighted(podAffinityTerm)),
  podAntiAffinity: z.array(podAffinityTerm),
  preferredPodAntiAffinity: z.array(weighted(podAffinityTerm)),
  topologySpread: z.array(topologySpread),
  tolerations: z.array(toleration),
  volumes: z.array(volume),
  priority: z.number().nullable(),
  preemptionPolicy: z.string(),
  schedulerName: z.string(),
  schedulingGates: strings,
  resourceClaims: strings,
  terminationGracePeriodSeconds: z.number(),
  podGroup: z.string().optional(),
  unknownField: z.string().optional(),
});

const resize = z.looseObject({
  containers: z.array(
    z.looseObject({ name: z.string(), allocated: resources.nullable(), actual: resources.nullable() }),
  ),
  allocated: resources.nullable(),
  actual: resources.nullable(),
  infeasible: z.boolean(),
});

/** An evicted pod in the state. */
export const pod: z.ZodType<Pod> = z.looseObject({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  labels,
  annotations: labels,
  createdAt: storedTime.nullable(),
  deletedAt: storedTime.nullable(),
  controller: z
    // Absent in items of earlier versions; evicted pods are identified by the UID.
    .looseObject({ apiVersion: z.string().default(''), kind: z.string(), name: z.string(), uid: z.string() })
    .nullable(),
  nodeName: storedNode.nullable(),
  nominatedNodeName: storedNode.nullable(),
  phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']),
  unscheduled: z.looseObject({ reason: z.string(), since: storedTime.nullable() }).nullable(),
  startedAt: storedTime.nullable(),
  ready: z.boolean(),
  resize: resize.nullable(),
  spec: podSpec,
});
