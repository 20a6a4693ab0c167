import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import type { Container, PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import { NO_RESOURCES, type Resources } from '@outrigger/core/model/values/resources.ts';
import { affinityIn, writeAffinity } from './affinity.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import { containersIn, hostContainersIn, writeContainer } from './containers.ts';
import {
  type Manifest,
  type Section,
  type SectionReader,
  booleanIn,
  integerIn,
  itemsReader,
  labelsIn,
  manifest,
  nameIn,
  optionalObjectIn,
  optionalStringIn,
  stringIn,
  unlessEmpty,
} from './fields.ts';
import { MOST_READ } from './most-read.ts';
import { requiredFeaturesIn, writeRequiredFeatures } from './required-features.ts';
import { unknownPodField } from './pod-spec-fields.ts';
import { someLabels } from './selectors.ts';
import { daemonTolerations, readToleration, writeToleration } from './taints.ts';
import { readTopologySpread, writeTopologySpread } from './topology-spread.ts';
import { volumesIn, writeVolume } from './volumes.ts';

const readNamed: SectionReader<string> = (from) => nameIn(from, 'name');

const namesIn = itemsReader(readNamed);
const spreadConstraintsIn = itemsReader(readTopologySpread, MOST_READ.spreadConstraints);
const tolerationsIn = itemsReader(readToleration, MOST_READ.tolerations);

/**
 * Reads `spec` of a pod, or of a pod template. `nodeName` is not part of it: pods of one controller that differ in
 * their node alone have equal specs.
 */
export const readPodSpec: SectionReader<PodSpec> = (spec) => {
  const hostNetwork = booleanIn(spec, 'hostNetwork');
  const readContainers = hostNetwork ? hostContainersIn : containersIn;
  const containers = readContainers(spec, 'containers');
  const initContainers = readContainers(spec, 'initContainers');
  const affinity = affinityIn(spec);
  const unknownField = unknownPodField(spec.fields);
  return {
    containers,
    initContainers,
    overhead: amountsIn(spec, 'overhead') ?? NO_RESOURCES,
    podRequests: podRequestsIn(spec, [...containers, ...initContainers]),
    nodeSelector: someLabels(labelsIn(spec, 'nodeSelector')),
    nodeAffinity: affinity.nodeAffinity,
    preferredNodeAffinity: affinity.preferredNodeAffinity,
    podAffinity: affinity.podAffinity,
    preferredPodAffinity: affinity.preferredPodAffinity,
    podAntiAffinity: affinity.podAntiAffinity,
    preferredPodAntiAffinity: affinity.preferredPodAntiAffinity,
    topologySpread: spreadConstraintsIn(spec, 'topologySpreadConstraints'),
    tolerations: tolerationsIn(spec, 'tolerations'),
    volumes: volumesIn(spec),
    priority: integerIn(spec, 'priority'),
    preemptionPolicy: optionalStringIn(spec, 'preemptionPolicy') ?? 'PreemptLowerPriority',
    schedulerName: stringIn(spec, 'schedulerName') || 'default-scheduler',
    schedulingGates: namesIn(spec, 'schedulingGates'),
    resourceClaims: namesIn(spec, 'resourceClaims'),
    terminationGracePeriodSeconds: integerIn(spec, 'terminationGracePeriodSeconds') ?? 30,
    ...schedulingGroupIn(spec),
    ...requiredFeaturesIn(spec),
    ...present({ unknownField }),
  };
};

/**
 * Pod-level requests. The API server fills in a pod-level limit as the request where neither the pod nor one of its
 * containers requests that resource (`defaultPodRequests` in k8s.io/kubernetes/pkg/apis/core/v1).
 */
function podRequestsIn(spec: Section, all: readonly Container[]): Resources | null {
  const resources = optionalObjectIn(spec, 'resources');
  if (resources === null) {
    return null;
  }
  const requests = amountsIn(resources, 'requests');
  const limits = amountsIn(resources, 'limits');
  if (limits === null) {
    return requests;
  }
  const unclaimed = Object.entries(limits).filter(([name]) => !all.some((container) => name in container.requests));
  return { ...Object.fromEntries(unclaimed), ...requests };
}

function schedulingGroupIn(spec: Section): Pick<PodSpec, 'podGroup'> {
  const group = optionalObjectIn(spec, 'schedulingGroup');
  return group === null ? {} : { podGroup: nameIn(group, 'podGroupName') };
}

/**
 * Reads `spec` of a DaemonSet's pod template as the spec of its pods, which have more tolerations than the template.
 */
export const readDaemonSpec: SectionReader<PodSpec> = (from) => {
  const spec = readPodSpec(from);
  return { ...spec, tolerations: daemonTolerations(spec.tolerations, from.fields['hostNetwork'] === true) };
};

/** Writes `spec` so that reading the manifest gives an equal spec. */
export function writePodSpec(spec: PodSpec, nodeName: string | null): Manifest {
  const features = writeRequiredFeatures(spec.requiredFeatures);
  const [first, ...others] = spec.containers.map(writeContainer);
  return manifest({
    nodeName,
    schedulerName: spec.schedulerName,
    priority: spec.priority,
    preemptionPolicy: spec.preemptionPolicy === 'PreemptLowerPriority' ? null : spec.preemptionPolicy,
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds,
    schedulingGates: spec.schedulingGates.map((name) => ({ name })),
    nodeSelector: unlessEmpty(spec.nodeSelector),
    affinity: writeAffinity(spec),
    tolerations: spec.tolerations.map(writeToleration),
    topologySpreadConstraints: spec.topologySpread.map(writeTopologySpread),
    resourceClaims: spec.resourceClaims.map((name) => ({ name })),
    schedulingGroup: mapOptional(spec.podGroup, (podGroupName) => ({ podGroupName })),
    overhead: unlessEmpty(writeAmounts(spec.overhead)),
    resources: mapOptional(spec.podRequests, (requests) => ({ requests: writeAmounts(requests) })),
    initContainers: spec.initContainers.map(writeContainer),
    containers: first && [{ ...first, ...features.container }, ...others],
    ...features.spec,
    volumes: spec.volumes.map(writeVolume),
    ...mapOptional(spec.unknownField, (name) => ({ [name]: true })),
  });
}
