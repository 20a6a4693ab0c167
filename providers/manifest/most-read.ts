import { POD_SPEC_LIMITS } from '@outrigger/core/model/cluster/bounded-pod-spec.ts';

/**
 * Limits of the entries that are read of a pod's spec: one more than is followed, so that an excess is detected and no
 * more is kept. Containers are all read, because their requests count.
 */
export const MOST_READ = {
  affinityTerms: POD_SPEC_LIMITS.affinityTerms + 1,
  nodeAffinityTerms: POD_SPEC_LIMITS.nodeAffinityTerms + 1,
  spreadConstraints: POD_SPEC_LIMITS.spreadConstraints + 1,
  requirements: POD_SPEC_LIMITS.requirements + 1,
  values: POD_SPEC_LIMITS.values + 1,
  tolerations: POD_SPEC_LIMITS.tolerations + 1,
  hostPorts: POD_SPEC_LIMITS.hostPorts + 1,
  volumes: POD_SPEC_LIMITS.volumes + 1,
} as const;
