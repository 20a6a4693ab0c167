import { type GroupName, type NodeName, nodeName } from '../../../core/model/values/names.ts';
import { HOSTNAME_LABEL, type Node, type NodeCondition, type Taint } from '../../../core/model/cluster/node.ts';
import { isPassingTaint } from '../../../core/model/cluster/node-condition.ts';
import type { NodeTemplate } from '../../../core/model/node-group.ts';
import { EPHEMERAL_STORAGE, type Resources } from '../../../core/model/values/resources.ts';
import type { Labels } from '../../../core/model/cluster/selectors.ts';
import { nodeResources } from './allocatable.ts';
import { kubeProxy } from './kube-proxy.ts';
import type { TypeLaunch } from '../launches/launches.ts';
import { CAPACITY_TYPE_LABEL, type ManagedNodeGroup, NODE_GROUP_LABEL } from '../groups/managed-node-groups.ts';
import { withObserved } from './observed.ts';
import type { Market, ScalingGroup } from '../groups/scaling-group.ts';
import { OS_LABEL, labelsForType, machineLabels } from './template-labels.ts';
import type { PodLimit } from '../launches/user-data.ts';

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
  readonly launch: TypeLaunch;
  /** How many pods it takes, where more is known than the launch says. */
  readonly podLimit: PodLimit;
  /** `null` where the group is not managed by EKS, or EKS was not or could not be asked. */
  readonly managed: ManagedNodeGroup | null;
  /** A live node of the group that is of another type: but for the machine, the new one will be like it. */
  readonly sibling: Node | null;
  /** A live node of another group that shows what this type has. */
  readonly observed: Node | null;
}

/** The operating system of the nodes that a group starts. */
export const osOf = ({ managed, sibling }: Pick<TemplateParts, 'managed' | 'sibling'>): string =>
  sibling?.labels[OS_LABEL] ?? (managed?.windows === true ? 'windows' : 'linux');

/** Bytes of the volume that the kubelet will use; `null` where nothing but the image decides. */
export const storageOf = ({ launch, managed, sibling }: Pick<TemplateParts, 'launch' | 'managed' | 'sibling'>) =>
  launch.data.storage ?? managed?.storage ?? sibling?.capacity[EPHEMERAL_STORAGE] ?? null;

/**
 * Builds a node that a group may start and has none of. Later words win: what the type says, what a live node of the
 * type shows, the user data, the group's tags, EKS' managed node group. A live sibling has heard all but the first two.
 */
export function buildTemplate(parts: TemplateParts): NodeTemplate {
  const { group, region, zone, launch, podLimit, managed, sibling, observed } = parts;
  const { type, data } = launch;
  const name = templateName(group.name);
  const storage = storageOf(parts);
  const computed = nodeResources(type, podLimit, storage ?? DEFAULT_STORAGE, data.userData.kubelet);
  const resources = observed === null ? computed : withObserved(computed, observed, storage);
  const devices = observed === null ? networkDevices(launch, osOf(parts)) : {};
  // A tag is the user's word on what will be there for pods: it holds for both, as with Cluster Autoscaler.
  const overrides = { ...group.parsedTags.resources, ...managed?.resources };
  const labels =
    sibling === null
      ? {
          ...machineLabels(type, region, zone, osOf(parts)),
          ...data.userData.labels,
          ...group.parsedTags.labels,
          ...managedLabels(group, data.market),
          ...managed?.labels,
        }
      : labelsForType(sibling, type);
  const node: Node = {
    name,
    uid: '',
    labels: { ...labels, [HOSTNAME_LABEL]: name },
    annotations: {},
    createdAt: null,
    deletedAt: null,
    providerId: null,
    unschedulable: false,
    taints:
      sibling === null
        ? mergeTaints(data.userData.taints, group.parsedTags.taints, managed?.taints ?? [])
        : sibling.taints.filter(({ key }) => !isPassingTaint(key)),
    capacity: { ...resources.capacity, ...devices, ...overrides },
    allocatable: { ...resources.allocatable, ...devices, ...overrides },
    conditions: FRESH_CONDITIONS,
  };
  // Where live nodes are to be seen, so is all that they carry, and templates of live nodes must compare with this one.
  return { node, pods: sibling === null && observed === null ? [kubeProxy(node)] : [] };
}

/**
 * What the EFA device plugin, and for Windows the VPC resource controller, offer beside the type's own devices: a Windows pod
 * takes an address of the only interface in use, which keeps one for itself. Branch interfaces (`vpc.amazonaws.com/pod-eni`)
 * are in none of EC2's answers: a live node, or a tag of the group, tells of them.
 */
function networkDevices({ type: { network }, data: { efaInterfaces } }: TypeLaunch, os: string): Resources {
  return {
    ...(efaInterfaces > 0 && { 'vpc.amazonaws.com/efa': efaInterfaces }),
    ...(os === 'windows' &&
      network !== null && { 'vpc.amazonaws.com/PrivateIPv4Address': network.addressesPerInterface - 1 }),
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
function mergeTaints(...lists: readonly (readonly Taint[])[]): readonly Taint[] {
  const merged = new Map(lists.flat().map((taint) => [`${taint.key}:${taint.effect}`, taint]));
  return [...merged.values()];
}
