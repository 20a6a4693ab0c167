import { type GroupName, type NodeName, nodeName } from '../../core/model/names.ts';
import {
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  type Node,
  type NodeCondition,
  REGION_LABEL,
  type Taint,
  ZONE_LABEL,
} from '../../core/model/node.ts';
import type { NodeTemplate } from '../../core/model/node-group.ts';
import type { Labels } from '../../core/model/selectors.ts';
import { nodeResources } from './allocatable.ts';
import type { InstanceType } from './instance-types.ts';
import { kubeProxy } from './kube-proxy.ts';
import type { LaunchData } from './launch-data.ts';
import { CAPACITY_TYPE_LABEL, type ManagedNodeGroup, NODE_GROUP_LABEL } from './managed-node-groups.ts';
import type { Market, ScalingGroup } from './scaling-group.ts';

export const ARCH_LABEL = 'kubernetes.io/arch';
export const OS_LABEL = 'kubernetes.io/os';
export const EBS_ZONE_LABEL = 'topology.ebs.csi.aws.com/zone';

/** What the EKS images give the kubelet when nobody says otherwise. */
const DEFAULT_STORAGE = 20 * 2 ** 30;

/** The name that stands for a node that does not exist yet: the same at every look. The core names its copies. */
export const templateName = (group: GroupName): NodeName => nodeName(`template-node-for-${group}`);

/** What a node of a healthy group reports, without a time: a template is ready at any time. */
export const FRESH_CONDITIONS: readonly NodeCondition[] = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', since: null },
  { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', since: null },
  { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', since: null },
  { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', since: null },
  { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated', since: null },
];

export interface TemplateParts {
  readonly group: ScalingGroup;
  readonly region: string;
  readonly zone: string;
  readonly type: InstanceType;
  readonly launch: LaunchData;
  /** `null` where the group is not managed by EKS, or EKS could not be asked. */
  readonly managed: ManagedNodeGroup | null;
}

/**
 * Builds the node that a group would start, for a group that has none to look at. Later words win: what the type says,
 * the group's tags, EKS' managed node group.
 */
export function buildTemplate({ group, region, zone, type, launch, managed }: TemplateParts): NodeTemplate {
  const name = templateName(group.name);
  const resources = nodeResources(
    type,
    launch.userData.podLimit,
    launch.storage ?? managed?.storage ?? DEFAULT_STORAGE,
  );
  // A tag is the user's word on what will be there for pods: it holds for both, as with Cluster Autoscaler.
  const overrides = { ...group.parsedTags.resources, ...managed?.resources };
  const node: Node = {
    name,
    uid: '',
    labels: {
      ...machineLabels(type, region, zone, managed?.windows ?? false),
      ...group.parsedTags.labels,
      ...managedLabels(group, launch.market),
      ...managed?.labels,
      [HOSTNAME_LABEL]: name,
    },
    annotations: {},
    createdAt: null,
    deletedAt: null,
    providerId: null,
    unschedulable: false,
    taints: mergeTaints(group.parsedTags.taints, managed?.taints ?? []),
    capacity: { ...resources.capacity, ...overrides },
    allocatable: { ...resources.allocatable, ...overrides },
    conditions: FRESH_CONDITIONS,
  };
  return { node, pods: [kubeProxy(node)] };
}

function machineLabels(type: InstanceType, region: string, zone: string, windows: boolean): Labels {
  const os = windows ? 'windows' : 'linux';
  return {
    [ARCH_LABEL]: type.architecture,
    'beta.kubernetes.io/arch': type.architecture,
    [OS_LABEL]: os,
    'beta.kubernetes.io/os': os,
    [INSTANCE_TYPE_LABEL]: type.name,
    'beta.kubernetes.io/instance-type': type.name,
    [REGION_LABEL]: region,
    'failure-domain.beta.kubernetes.io/region': region,
    [ZONE_LABEL]: zone,
    'failure-domain.beta.kubernetes.io/zone': zone,
    [EBS_ZONE_LABEL]: zone,
  };
}

const CAPACITY_TYPES: Readonly<Partial<Record<Market, string>>> = {
  'on-demand': 'ON_DEMAND',
  spot: 'SPOT',
  'capacity-block': 'CAPACITY_BLOCK',
};

/** EKS labels the nodes of its managed groups only; on others such a label would promise what no node keeps. */
function managedLabels({ parsedTags: { managedNodeGroup }, market }: ScalingGroup, launched: Market): Labels {
  if (managedNodeGroup === null) {
    return {};
  }
  const capacityType = CAPACITY_TYPES[market === 'on-demand' ? launched : market];
  return {
    [NODE_GROUP_LABEL]: managedNodeGroup.name,
    ...(capacityType === undefined ? {} : { [CAPACITY_TYPE_LABEL]: capacityType }),
  };
}

/** A node has one taint per key and effect. */
function mergeTaints(tagged: readonly Taint[], managed: readonly Taint[]): readonly Taint[] {
  const merged = new Map([...tagged, ...managed].map((taint) => [`${taint.key}:${taint.effect}`, taint]));
  return [...merged.values()];
}
