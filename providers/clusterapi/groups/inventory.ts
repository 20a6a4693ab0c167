import { byName, type GroupName } from '@outrigger/core/model/values/names.ts';
import type { ListScope, ManagementApi } from '../api/management-api.ts';
import type { CapiCluster, Machine, ScalableResource } from '../api/objects.ts';
import { discoveryIn, isDiscovered, onlyNamespace } from './discovery.ts';
import { type Group, groupOf, type InventoryRules, resourceOfGroup } from './group.ts';
import { type OwnedMachines, ownedResources } from './ownership.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** The node groups of a management cluster. */
export interface Inventory {
  /** Sorted by name. */
  readonly groups: readonly Group[];
  /** All Machines, also those of no group. */
  readonly machines: readonly Machine[];
  /** Names of the groups that the default of discovery leaves to other clusters. */
  readonly left: readonly GroupName[];
}

/** Lists the node groups with their Machines: at most five calls, whatever their number (`ManagementApi.list`). */
export async function readInventory(
  api: ManagementApi,
  rules: InventoryRules,
  signal?: AbortSignal,
): Promise<Inventory> {
  const scope: ListScope = { namespace: onlyNamespace(rules.discovery), labelSelector: '' };
  const [deployments, sets, pools, machines, clusters] = await Promise.all([
    rules.machineDeployments ? api.list('MachineDeployment', scope, signal) : [],
    api.list('MachineSet', scope, signal),
    api.list('MachinePool', scope, signal),
    api.list('Machine', scope, signal),
    api.list('Cluster', scope, signal),
  ]);
  const byKey = new Map(clusters.map((cluster) => [`${cluster.namespace}/${cluster.name}`, cluster]));
  const discovery = discoveryIn(rules.discovery, rules, clusters);
  const all = ownedResources([...deployments, ...sets, ...pools], machines).flatMap((owned) => {
    const { namespace, clusterName } = owned.resource;
    return groupOf(owned, byKey.get(`${namespace}/${clusterName}`) ?? null, rules) ?? [];
  });
  const [groups, left] = [true, false].map((wanted) =>
    all.filter(({ resource }) => isDiscovered(resource, discovery) === wanted).sort((a, b) => byName(a.name, b.name)),
  ) as [Group[], Group[]];
  return { groups, machines, left: left.map(({ name }) => name) };
}

/**
 * Reads one group and its Machines: the resource, then its MachineSets, Machines and Cluster.
 *
 * @returns `null` where the resource does not exist, or is no node group.
 */
export async function readGroup(
  api: ManagementApi,
  rules: InventoryRules,
  name: GroupName,
  signal?: AbortSignal,
): Promise<Group | null> {
  const ref = resourceOfGroup(name);
  const resource = ref === null ? null : await api.get(ref.kind, ref, signal);
  if (resource === null) {
    return null;
  }
  const { namespace, selector: labelSelector, clusterName } = resource;
  const [sets, machines, cluster]: [readonly ScalableResource[], readonly Machine[], CapiCluster | null] =
    await Promise.all([
      resource.kind === 'MachineDeployment' ? api.list('MachineSet', { namespace, labelSelector }, signal) : [],
      api.list('Machine', { namespace, labelSelector }, signal),
      clusterName === null ? null : api.get('Cluster', { namespace, name: clusterName }, signal),
    ]);
  const owned = ownedResources([resource, ...sets], machines).find((one: OwnedMachines) => one.resource === resource);
  const clusters = [cluster].filter((one) => one !== null);
  const discovery = discoveryIn(rules.discovery, rules, clusters);
  return mapOptional(owned, (own) => groupOf(own, cluster, { ...rules, discovery })) ?? null;
}
