import { present } from '@outrigger/core/model/values/present.ts';
import { type Node, OS_LABEL } from '@outrigger/core/model/cluster/node.ts';
import { isPassingTaint } from '@outrigger/core/model/cluster/node-condition.ts';
import type { NodeTemplate } from '@outrigger/core/model/node-group.ts';
import { EPHEMERAL_STORAGE, type Resources } from '@outrigger/core/model/values/resources.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { nodeResources } from './allocatable.ts';
import { kubeProxy } from '../../node-groups/templates/kube-proxy.ts';
import { mergeTaints, newNode } from '../../node-groups/templates/new-node.ts';
import type { TypeLaunch } from '../launches/launches.ts';
import { CAPACITY_TYPE_LABEL, type ManagedNodeGroup, NODE_GROUP_LABEL } from '../groups/managed-node-groups.ts';
import { withObserved } from './observed.ts';
import type { Market, ScalingGroup } from '../groups/scaling-group.ts';
import { labelsForType, instanceLabels } from './template-labels.ts';
import type { PodLimit } from '../launches/user-data.ts';

/** The default volume size of the EKS images. */
const DEFAULT_STORAGE = 20 * 2 ** 30;

interface TemplateParts {
  readonly group: ScalingGroup;
  readonly region: string;
  readonly zone: string;
  readonly launch: TypeLaunch;
  /** The limit of pods, where more is known than from the launch. */
  readonly podLimit: PodLimit;
  /** `null` where the group is not managed by EKS, or EKS' description was not or could not be read. */
  readonly managed: ManagedNodeGroup | null;
  /** A live node of the group of another type: the new one will be like it except for the instance type. */
  readonly sibling: Node | null;
  /** A live node of another group that shows the resources of this type. */
  readonly observed: Node | null;
}

/** The operating system of the nodes that a group starts. */
export const osOf = ({ managed, sibling }: Pick<TemplateParts, 'managed' | 'sibling'>): string =>
  sibling?.labels[OS_LABEL] ?? (managed?.windows === true ? 'windows' : 'linux');

/** Bytes of the volume, or of the array of disks, that the kubelet will use; `null` where only the image decides. */
export const storageOf = ({ launch, managed, sibling }: Pick<TemplateParts, 'launch' | 'managed' | 'sibling'>) =>
  launch.type.instanceStore * launch.data.userData.kubelet.instanceStoreShare ||
  (launch.data.storage ?? managed?.storage ?? sibling?.capacity[EPHEMERAL_STORAGE] ?? null);

/**
 * Builds the template of a type without a live node in the group. Later sources override earlier ones: the type, a live
 * node of the type, the user data, the group's tags, EKS' managed node group. A live sibling replaces all but the first
 * two.
 */
export function buildTemplate(parts: TemplateParts): NodeTemplate {
  const { group, launch, podLimit, managed, sibling, observed } = parts;
  const { type, data } = launch;
  const storage = storageOf(parts);
  const computed = nodeResources(type, podLimit, storage ?? DEFAULT_STORAGE, data.userData.kubelet);
  const resources = observed === null ? computed : withObserved(computed, observed, storage);
  const devices = observed === null ? networkDevices(launch, osOf(parts)) : {};
  // A resource tag sets both capacity and allocatable, as with Cluster Autoscaler.
  const overrides = { ...group.parsedTags.resources, ...managed?.resources };
  const node = newNode(group.name, {
    ...labelsAndTaints(parts),
    capacity: { ...resources.capacity, ...devices, ...overrides },
    allocatable: { ...resources.allocatable, ...devices, ...overrides },
  });
  // If live nodes exist, their pods are known, and templates of live nodes must be comparable with this template.
  return { node, pods: sibling === null && observed === null ? [kubeProxy(node)] : [] };
}

function labelsAndTaints(parts: TemplateParts): Pick<Node, 'labels' | 'taints'> {
  const { group, region, zone, launch, managed, sibling } = parts;
  const { userData, market } = launch.data;
  if (sibling !== null) {
    return {
      labels: labelsForType(sibling, launch.type),
      taints: sibling.taints.filter(({ key }) => !isPassingTaint(key)),
    };
  }
  return {
    labels: {
      ...instanceLabels(launch.type, region, zone, osOf(parts)),
      ...userData.labels,
      ...group.parsedTags.labels,
      ...managedLabels(group, market),
      ...managed?.labels,
    },
    taints: mergeTaints(userData.taints, group.parsedTags.taints, managed?.taints ?? []),
  };
}

/**
 * The resources of the EFA device plugin and, for Windows, of the VPC resource controller, beside the type's devices: a
 * Windows pod takes an address of the only interface in use, which uses one itself. EC2 does not report branch
 * interfaces (`vpc.amazonaws.com/pod-eni`): they come from a live node, or from a tag of the group.
 */
function networkDevices({ type: { network }, data: { efaInterfaces } }: TypeLaunch, os: string): Resources {
  return present({
    'vpc.amazonaws.com/efa': efaInterfaces || null,
    'vpc.amazonaws.com/PrivateIPv4Address': os === 'windows' ? network && network.addressesPerInterface - 1 : null,
  });
}

const CAPACITY_TYPES: Readonly<Partial<Record<Market, string>>> = {
  'on-demand': 'ON_DEMAND',
  spot: 'SPOT',
  'capacity-block': 'CAPACITY_BLOCK',
};

/** EKS labels the nodes of its managed node groups only; nodes of other groups would not have the label. */
function managedLabels({ parsedTags: { managedNodeGroup }, market }: ScalingGroup, launched: Market): Labels {
  if (managedNodeGroup === null) {
    return {};
  }
  const capacityType = CAPACITY_TYPES[market === 'on-demand' ? launched : market];
  return {
    [NODE_GROUP_LABEL]: managedNodeGroup.name,
    ...present({ [CAPACITY_TYPE_LABEL]: capacityType }),
  };
}
