import { PLAIN_POD_SPEC, type PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import type { Resources } from '@outrigger/core/model/values/resources.ts';

/** A spec with one container with these requests. */
export const plainSpec = (requests: Resources, extra: Partial<PodSpec> = {}): PodSpec => ({
  ...PLAIN_POD_SPEC,
  containers: [{ name: 'main', requests, hostPorts: [], restartable: false }],
  priority: 0,
  ...extra,
});
