import {
  ARCH_LABEL,
  INSTANCE_TYPE_LABEL,
  type Node,
  OS_LABEL,
  ZONE_LABEL,
} from '@outrigger/core/model/cluster/node.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, type Resources } from '@outrigger/core/model/values/resources.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { type NodeResources, maxPods } from './allocatable.ts';
import type { InstanceType } from '../launches/instance-types.ts';
import type { TypeLaunch } from '../launches/launches.ts';
import { hasAmountsOf, type Sample } from '../../node-groups/templates/live-node.ts';
import { newestFirst } from '@outrigger/core/model/cluster/newest-first.ts';
import type { ScalingGroup } from '../groups/scaling-group.ts';
import { speaksForOthers } from './stated-amounts.ts';
import { ZONE_ID_LABEL } from './template-labels.ts';
import type { PodLimit } from '../launches/user-data.ts';

/** A suitable live node, and the group that started it. */
export interface Sighting extends Sample {
  readonly group: ScalingGroup;
}

/** Live nodes by instance type: newest first, one for each group and type. */
export type Sightings = ReadonlyMap<string, readonly Sighting[]>;

/** @param live the sample nodes of each group, by instance type. */
export function sightingsOf(
  groups: readonly { readonly group: ScalingGroup; readonly live: ReadonlyMap<string, Sample> }[],
): Sightings {
  const all = groups.flatMap(({ group, live }) => [...live.values()].map((sample) => ({ ...sample, group })));
  return Map.groupBy(
    all.sort((a, b) => newestFirst(a.node, b.node)),
    ({ node }) => node.labels[INSTANCE_TYPE_LABEL] ?? '',
  );
}

/** A query for a node like the node that a group would start. */
export interface NodeQuery {
  readonly group: ScalingGroup;
  readonly launch: TypeLaunch;
  readonly podLimit: PodLimit;
  readonly os: string;
  /** Bytes of the volume that the kubelet will use; `null` where the image decides. */
  readonly storage: number | null;
}

/**
 * The groups whose launches must be read before their nodes can represent the node in question: their nodes' limit of pods
 * differs from the addresses of the instance type, and the node in question has no setting that rules this out.
 */
export const doubtful = (query: NodeQuery, sightings: Sightings): readonly ScalingGroup[] =>
  candidates(query, sightings)
    .filter(({ node }) => agreement(query, node) === 'unknown')
    .map(({ group }) => group);

/**
 * The live node that has the resources of the node in question: of the same instance type, architecture and operating system,
 * and, as far as known, the same limit of pods.
 *
 * @param launchOf how another group starts this type, if known.
 */
export function observedNode(
  query: NodeQuery,
  sightings: Sightings,
  launchOf: (group: ScalingGroup) => TypeLaunch | null,
): Node | null {
  const all = candidates(query, sightings);
  const good = all.filter(({ node, group, confirmed }) => {
    const isConfirmed = confirmed || all.some((other) => other.group !== group && hasAmountsOf(node, other.node));
    if (!speaksForOthers(node, query.launch.type, isConfirmed)) {
      return false;
    }
    const agrees = agreement(query, node);
    const other = launchOf(group)?.data.userData ?? null;
    return (
      (agrees === 'yes' || (agrees === 'unknown' && (other === null || other.podLimit.kind === 'addresses'))) &&
      (other === null || other.bottlerocket === query.launch.data.userData.bottlerocket)
    );
  });
  return good.toSorted((a, b) => closeness(query, b.node) - closeness(query, a.node))[0]?.node ?? null;
}

/** The same image before the same disk; the newest first among equals, because sorting is stable. */
const closeness = ({ launch, storage }: NodeQuery, { labels, capacity }: Node): number =>
  2 * Number(launch.data.image !== null && labels[IMAGE_LABEL] === launch.data.image) +
  Number(sameStorage(storage, capacity[EPHEMERAL_STORAGE] ?? 0));

const IMAGE_LABEL = 'eks.amazonaws.com/nodegroup-image';

const candidates = ({ group, launch: { type }, os }: NodeQuery, sightings: Sightings): readonly Sighting[] =>
  (sightings.get(type.name) ?? []).filter(
    (seen) => seen.group !== group && resembles(seen.node, type, os) && !keepsHugePages(seen.node.capacity),
  );

/** A label that a node does not have does not rule it out. */
const resembles = ({ labels, capacity }: Node, type: InstanceType, os: string): boolean =>
  (labels[ARCH_LABEL] ?? type.architecture) === type.architecture &&
  (labels[OS_LABEL] ?? os) === os &&
  // A launch template may disable cores.
  capacity[CPU] === type.vCpus * 1_000 &&
  (capacity[MEMORY] ?? 0) > 0;

/** Huge pages reduce the memory for pods, and depend on one group's settings. */
const keepsHugePages = (capacity: Resources): boolean =>
  Object.entries(capacity).some(([name, amount]) => name.startsWith('hugepages-') && amount > 0);

function agreement({ launch: { type }, podLimit }: NodeQuery, { capacity }: Node): 'yes' | 'no' | 'unknown' {
  if (capacity[PODS] === maxPods(type, podLimit)) {
    return 'yes';
  }
  // Without a setting the image computes the limit, possibly from more than the addresses.
  return podLimit.kind === 'addresses' ? 'unknown' : 'no';
}

/** File systems use some of their volume themselves. */
const STORAGE_TOLERANCE = 0.05;

const sameStorage = (wanted: number | null, shown: number): boolean =>
  shown > 0 && (wanted === null || Math.abs(wanted - shown) <= wanted * STORAGE_TOLERANCE);

/**
 * Replaces the results of formulas by the amounts of a live node, for the resources that Kubernetes itself defines.
 * Devices remain those of the instance type: on the live node they may depend on its group.
 *
 * @param storage as in `NodeQuery`: the disk is the group's, not the type's.
 */
export function withObserved(computed: NodeResources, shown: Node, storage: number | null): NodeResources {
  const sameDisk = sameStorage(storage, shown.capacity[EPHEMERAL_STORAGE] ?? 0);
  const native = (amounts: Resources): Resources =>
    Object.fromEntries(
      Object.entries(amounts).filter(([name]) => !name.includes('/') && (name !== EPHEMERAL_STORAGE || sameDisk)),
    );
  return {
    capacity: { ...computed.capacity, ...native(shown.capacity) },
    allocatable: { ...computed.allocatable, ...native(shown.allocatable) },
  };
}

/** Labels that the cloud controller manager gives to every node of a cluster, as live nodes show them. */
export interface ClusterLabels {
  /** On each node. */
  readonly everywhere: Labels;
  /** By zone. */
  readonly zoneIds: ReadonlyMap<string, string>;
}

const CLOUD_PROVIDER_LABEL = 'k8s.io/cloud-provider-aws';

/** The labels that the nodes of a cluster's groups have in common. A label with several values is left out. */
export function clusterLabels(nodes: readonly Node[]): ClusterLabels {
  const providers = new Set(nodes.flatMap(({ labels }) => labels[CLOUD_PROVIDER_LABEL] ?? []));
  const [provider, ...others] = providers;
  const zoneIds = new Map<string, string>();
  for (const { [ZONE_LABEL]: zone, [ZONE_ID_LABEL]: id } of nodes.map(({ labels }) => labels)) {
    if (zone !== undefined && id !== undefined) {
      zoneIds.set(zone, id);
    }
  }
  const isCommon = provider !== undefined && others.length === 0;
  return { everywhere: isCommon ? { [CLOUD_PROVIDER_LABEL]: provider } : {}, zoneIds };
}
