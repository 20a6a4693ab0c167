import type { PodSpec } from '../../core/model/pod.ts';
import { NO_RESOURCES, type Resources } from '../../core/model/resources.ts';

/** A spec with one container that asks for this and nothing else. */
export function plainSpec(requests: Resources, extra: Partial<PodSpec> = {}): PodSpec {
  return {
    containers: [{ name: 'main', requests, hostPorts: [], restartable: false }],
    initContainers: [],
    overhead: NO_RESOURCES,
    podRequests: null,
    nodeSelector: {},
    nodeAffinity: null,
    preferredNodeAffinity: [],
    podAffinity: [],
    preferredPodAffinity: [],
    podAntiAffinity: [],
    preferredPodAntiAffinity: [],
    topologySpread: [],
    tolerations: [],
    volumes: [],
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    schedulerName: 'default-scheduler',
    schedulingGates: [],
    resourceClaims: [],
    workload: null,
    terminationGracePeriodSeconds: 30,
    ...extra,
  };
}
