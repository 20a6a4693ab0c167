import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import type { Container, PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import { NO_RESOURCES, type Resources } from '@outrigger/core/model/values/resources.ts';
import { affinityIn, writeAffinity } from './affinity.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import { containersIn, hostContainersIn, writeContainer } from './containers.ts';
import {
  type Fields,
  type Manifest,
  booleanIn,
  integerIn,
  itemsReader,
  labelsIn,
  manifest,
  nameIn,
  optionalObjectIn,
  readFields,
  optionalStringIn,
  stringIn,
  unlessEmpty,
} from './fields.ts';
import { type Invalid, type Reader, fieldOf } from './invalid.ts';
import { MOST_READ } from './most-read.ts';
import { requiredFeaturesIn, writeRequiredFeatures } from './required-features.ts';
import { unknownPodField } from './pod-spec-fields.ts';
import { someLabels } from './selectors.ts';
import { daemonTolerations, readToleration, writeToleration } from './taints.ts';
import { readTopologySpread, writeTopologySpread } from './topology-spread.ts';
import { volumesIn, writeVolume } from './volumes.ts';

const readNamed: Reader<string> = (raw, place, problems) =>
  nameIn(readFields(raw, place, problems), 'name', place, problems);

const namesIn = itemsReader(readNamed);
const spreadConstraintsIn = itemsReader(readTopologySpread, MOST_READ.spreadConstraints);
const tolerationsIn = itemsReader(readToleration, MOST_READ.tolerations);

/**
 * Reads `spec` of a pod, or of a pod template. `nodeName` is not part of it: pods of one controller that differ in
 * their node alone have equal specs.
 */
export const readPodSpec: Reader<PodSpec> = (raw, place, problems) => {
  const spec = readFields(raw, place, problems);
  const hostNetwork = booleanIn(spec, 'hostNetwork', place, problems);
  const readContainers = hostNetwork ? hostContainersIn : containersIn;
  const containers = readContainers(spec, 'containers', place, problems);
  const initContainers = readContainers(spec, 'initContainers', place, problems);
  const affinity = affinityIn(spec, place, problems);
  const unknownField = unknownPodField(spec);
  return {
    containers,
    initContainers,
    overhead: amountsIn(spec, 'overhead', place, problems) ?? NO_RESOURCES,
    podRequests: podRequestsIn(spec, place, problems, [...containers, ...initContainers]),
    nodeSelector: someLabels(labelsIn(spec, 'nodeSelector', place, problems)),
    nodeAffinity: affinity.nodeAffinity,
    preferredNodeAffinity: affinity.preferredNodeAffinity,
    podAffinity: affinity.podAffinity,
    preferredPodAffinity: affinity.preferredPodAffinity,
    podAntiAffinity: affinity.podAntiAffinity,
    preferredPodAntiAffinity: affinity.preferredPodAntiAffinity,
    topologySpread: spreadConstraintsIn(spec, 'topologySpreadConstraints', place, problems),
    tolerations: tolerationsIn(spec, 'tolerations', place, problems),
    volumes: volumesIn(spec, place, problems),
    priority: integerIn(spec, 'priority', place, problems),
    preemptionPolicy: optionalStringIn(spec, 'preemptionPolicy', place, problems) ?? 'PreemptLowerPriority',
    schedulerName: stringIn(spec, 'schedulerName', place, problems) || 'default-scheduler',
    schedulingGates: namesIn(spec, 'schedulingGates', place, problems),
    resourceClaims: namesIn(spec, 'resourceClaims', place, problems),
    terminationGracePeriodSeconds: integerIn(spec, 'terminationGracePeriodSeconds', place, problems) ?? 30,
    ...schedulingGroupIn(spec, place, problems),
    ...requiredFeaturesIn(spec, place, problems),
    ...present({ unknownField }),
  };
};

/**
 * Pod-level requests. The API server fills in a pod-level limit as the request where neither the pod nor one of its
 * containers requests that resource (`defaultPodRequests` in k8s.io/kubernetes/pkg/apis/core/v1).
 */
function podRequestsIn(spec: Fields, place: string, problems: Invalid[], all: readonly Container[]): Resources | null {
  const resources = optionalObjectIn(spec, 'resources', place, problems);
  if (resources === null) {
    return null;
  }
  const at = fieldOf(place, 'resources');
  const requests = amountsIn(resources, 'requests', at, problems);
  const limits = amountsIn(resources, 'limits', at, problems);
  if (limits === null) {
    return requests;
  }
  const unclaimed = Object.entries(limits).filter(([name]) => !all.some((container) => name in container.requests));
  return { ...Object.fromEntries(unclaimed), ...requests };
}

function schedulingGroupIn(spec: Fields, place: string, problems: Invalid[]): Pick<PodSpec, 'podGroup'> {
  const group = optionalObjectIn(spec, 'schedulingGroup', place, problems);
  if (group === null) {
    return {};
  }
  return { podGroup: nameIn(group, 'podGroupName', fieldOf(place, 'schedulingGroup'), problems) };
}

/**
 * Reads `spec` of a DaemonSet's pod template as the spec of its pods, which have more tolerations than the template.
 */
export const readDaemonSpec: Reader<PodSpec> = (raw, place, problems) => {
  const spec = readPodSpec(raw, place, problems);
  // A wrong type has been reported already.
  const hostNetwork = typeof raw === 'object' && raw !== null && 'hostNetwork' in raw && raw.hostNetwork === true;
  return { ...spec, tolerations: daemonTolerations(spec.tolerations, hostNetwork) };
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
