import { MOST_FOLLOWED } from '@outrigger/core/model/cluster/followed.ts';

/**
 * Limits of the entries that are read of a pod's spec: one more than is followed, so that an excess is detected and no
 * more is kept. Containers are all read, because their requests count.
 */
export const MOST_READ = {
  affinityTerms: MOST_FOLLOWED.affinityTerms + 1,
  nodeAffinityTerms: MOST_FOLLOWED.nodeAffinityTerms + 1,
  spreadConstraints: MOST_FOLLOWED.spreadConstraints + 1,
  requirements: MOST_FOLLOWED.requirements + 1,
  values: MOST_FOLLOWED.values + 1,
  tolerations: MOST_FOLLOWED.tolerations + 1,
  hostPorts: MOST_FOLLOWED.hostPorts + 1,
  volumes: MOST_FOLLOWED.volumes + 1,
} as const;
