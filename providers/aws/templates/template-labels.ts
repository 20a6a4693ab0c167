import {
  ARCH_LABEL,
  INSTANCE_TYPE_LABEL,
  type Node,
  OS_LABEL,
  REGION_LABEL,
  ZONE_LABEL,
} from '@outrigger/core/model/cluster/node.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { withoutNodeLabels } from '../../node-groups/templates/live-node.ts';
import type { InstanceType } from '../launches/instance-types.ts';
import { present } from '@outrigger/core/model/values/present.ts';

export const ZONE_ID_LABEL = 'topology.k8s.aws/zone-id';
const EBS_ZONE_LABEL = 'topology.ebs.csi.aws.com/zone';

/**
 * The labels that the kubelet, the cloud controller manager and the EBS driver set on any node, deprecated keys
 * included.
 */
export const instanceLabels = (type: InstanceType, region: string, zone: string, os: string): Labels => ({
  ...typeLabels(type),
  [OS_LABEL]: os,
  'beta.kubernetes.io/os': os,
  [REGION_LABEL]: region,
  'failure-domain.beta.kubernetes.io/region': region,
  [ZONE_LABEL]: zone,
  'failure-domain.beta.kubernetes.io/zone': zone,
  [EBS_ZONE_LABEL]: zone,
});

const typeLabels = (type: InstanceType): Labels => ({
  [ARCH_LABEL]: type.architecture,
  'beta.kubernetes.io/arch': type.architecture,
  [INSTANCE_TYPE_LABEL]: type.name,
  'beta.kubernetes.io/instance-type': type.name,
});

/** Labels that add-ons detect from the hardware. */
const OF_HARDWARE =
  /^(?:feature\.node\.kubernetes\.io|nvidia\.com|(?:beta\.)?amd\.com)\/|^vpc\.amazonaws\.com\/has-trunk-attached$/;

/** The labels of a live node as they would be on a node of another type in its group. */
export function labelsForType({ labels }: Node, type: InstanceType): Labels {
  const of = typeLabels(type);
  return Object.fromEntries(
    Object.entries(withoutNodeLabels(labels))
      .filter(([key]) => !OF_HARDWARE.test(key))
      .map(([key, value]) => [key, of[key] ?? value]),
  );
}

/**
 * The labels of a node as they would be in another zone of its group: every zone label has the other zone.
 *
 * @param fixed labels from tags, the same in every zone.
 * @param zoneId of the other zone, where it is known.
 */
export function labelsInZone(labels: Labels, zone: string, fixed: Labels, zoneId: string | undefined): Labels {
  const own = labels[ZONE_LABEL];
  const moved = Object.entries(labels)
    .filter(([key]) => key !== ZONE_ID_LABEL)
    .map(([key, value]) => [key, value === own && !Object.hasOwn(fixed, key) ? zone : value] as const);
  return { ...Object.fromEntries(moved), ...present({ [ZONE_ID_LABEL]: zoneId }) };
}
