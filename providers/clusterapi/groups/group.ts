import type { Range } from '@outrigger/core/model/options.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { type GroupName, groupName } from '@outrigger/core/model/values/names.ts';
import type { DiscoverySpec } from '../../schema/cluster-api-discovery.ts';
import type { CapiCluster, ScalableResource } from '../api/objects.ts';
import type { ApiKeys, ScalableKind } from '../api/resources.ts';
import { boundsOf } from './bounds.ts';
import { type DiscoveryScope, isDiscovered } from './discovery.ts';
import type { OwnedMachines } from './ownership.ts';
import { okValue } from '@outrigger/core/model/values/result.ts';

/** The rules by which a resource is a node group. */
export interface GroupRules {
  readonly keys: ApiKeys;
  /** Empty: every resource with bounds (`discoveryIn`). */
  readonly discovery: readonly DiscoverySpec[];
  /** Whether MachineDeployments are node groups. */
  readonly machineDeployments: boolean;
}

/** The rules by which a resource is a node group of a cluster. */
export interface InventoryRules extends GroupRules, DiscoveryScope {}

/** A node group: a resource that has opted in by its annotations. */
export interface Group extends OwnedMachines {
  readonly name: GroupName;
  /** If the annotations are invalid: the present size, so that the size is not changed. */
  readonly bounds: Range;
  /** Why it cannot be used; `null` where it can. */
  readonly problem: string | null;
  /** Why the group or its Cluster is paused, in words: its controllers leave it alone. `null` where neither is. */
  readonly paused: string | null;
}

interface ResourceRef {
  readonly kind: ScalableKind;
  readonly namespace: string;
  readonly name: string;
}

const KINDS: readonly ScalableKind[] = ['MachineDeployment', 'MachineSet', 'MachinePool'];

/** `MachineDeployment/NAMESPACE/NAME`, as Cluster Autoscaler has it. */
export const groupNameOf = ({ kind, namespace, name }: ResourceRef): GroupName =>
  groupName(`${kind}/${namespace}/${name}`);

/** The resource of a group; `null` for a name that is none of Cluster API. */
export function resourceOfGroup(group: GroupName): ResourceRef | null {
  const [first, namespace = '', name = '', ...more] = group.split('/');
  const kind = KINDS.find((one) => one === first);
  if (kind === undefined || namespace === '' || name === '' || more.length > 0) {
    return null;
  }
  return { kind, namespace, name };
}

/** `MachineDeployment default/web`, for messages. */
export const titleOf = ({ kind, namespace, name }: ResourceRef): string => `${kind} ${namespace}/${name}`;

/**
 * The node group of a resource; `null` where it is none: not discovered, without bounds, or a MachineDeployment where
 * these are disabled.
 *
 * @param cluster that the resource belongs to; `null` where it is not known.
 */
export function groupOf(owned: OwnedMachines, cluster: CapiCluster | null, rules: GroupRules): Group | null {
  try {
    return read(owned, cluster, rules);
  } catch (error) {
    const { resource } = owned;
    return {
      ...owned,
      name: groupNameOf(resource),
      bounds: { min: resource.replicas, max: resource.replicas },
      problem: `it cannot be read: ${clip(messageOf(error))}`,
      paused: null,
    };
  }
}

function read(
  owned: OwnedMachines,
  cluster: CapiCluster | null,
  { keys, discovery, machineDeployments }: GroupRules,
): Group | null {
  const { resource } = owned;
  if (!isDiscovered(resource, discovery) || (resource.kind === 'MachineDeployment' && !machineDeployments)) {
    return null;
  }
  const bounds = boundsOf(resource.annotations, keys);
  if (bounds.ok && bounds.value === null) {
    return null;
  }
  const deletion = resource.deletedAt === null ? null : 'it is being deleted';
  return {
    ...owned,
    name: groupNameOf(resource),
    bounds: okValue(bounds) ?? { min: resource.replicas, max: resource.replicas },
    problem: bounds.ok ? deletion : bounds.error,
    paused: pausedOf(resource, cluster, keys),
  };
}

function pausedOf(resource: ScalableResource, cluster: CapiCluster | null, { paused }: ApiKeys): string | null {
  if (resource.paused) {
    return `${titleOf(resource)} is paused (annotation ${paused})`;
  }
  return cluster?.paused === true ? `Cluster ${cluster.namespace}/${cluster.name} is paused` : null;
}
