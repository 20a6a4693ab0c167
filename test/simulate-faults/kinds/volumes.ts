import { ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import type { PodSpec } from '../../../core/model/cluster/pod.ts';
import { BOUND_TO_LABEL } from '../pools.ts';
import type { KindsOfPods } from './kind.ts';

/** In runs whose pods are bound to zones, what binds them may be the volume that each has. */
export const VOLUMES: KindsOfPods = {
  'zonal volumes': {
    part: 0.5,
    may: ({ kind, labels, volumes }) =>
      (kind === 'Deployment' || kind === 'StatefulSet') &&
      labels[BOUND_TO_LABEL] !== undefined &&
      volumes === undefined,
    change: ({ labels, spec }, chance) => ({
      kind: 'StatefulSet',
      spec: withoutZone(spec),
      volumes: { zone: labels[BOUND_TO_LABEL]!, waits: chance.next() < 0.5 },
    }),
  },
};

function withoutZone(spec: PodSpec): PodSpec {
  const { [ZONE_LABEL]: _zone, ...nodeSelector } = spec.nodeSelector;
  return { ...spec, nodeSelector, nodeAffinity: null };
}
