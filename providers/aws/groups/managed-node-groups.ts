import { present } from '@outrigger/core/model/values/present.ts';
import { DescribeNodegroupCommand, type EKSClient, type Nodegroup } from '@aws-sdk/client-eks';
import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import type { Resources } from '@outrigger/core/model/values/resources.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { type Lookup, createSingleLookup } from '../api/lookup.ts';
import { type ManagedNodeGroupName, parseTags } from './tags.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { actionsUnderWay, type CloudAction } from '@outrigger/core/model/cloud-action.ts';
import type { ScalingGroup } from './scaling-group.ts';

/** The fields of an EKS managed node group that its nodes carry. */
export interface ManagedNodeGroup {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** From the node group's own tags, which EKS does not copy to its Auto Scaling group. */
  readonly resources: Resources;
  readonly windows: boolean;
  readonly storage: number | null;
}

export const NODE_GROUP_LABEL = 'eks.amazonaws.com/nodegroup';
export const CAPACITY_TYPE_LABEL = 'eks.amazonaws.com/capacityType';

const TTL = minutes(20);

/** A separator that neither name can contain. */
export const managedKey = ({ cluster, name }: ManagedNodeGroupName): string => `${cluster}/${name}`;

/** `null` for a group that EKS does not manage. */
export const managedKeyOf = ({ parsedTags }: ScalingGroup): string | null =>
  mapOptional(parsedTags.managedNodeGroup, managedKey);

/**
 * Looks managed node groups up by `managedKey`. The API describes one per call; calls run concurrently. They are read
 * only while no live node of the group shows its labels and taints.
 */
export const createManagedNodeGroups = (eks: EKSClient, now: () => EpochMs): Lookup<ManagedNodeGroup> =>
  createSingleLookup(
    async (key, signal) => mapOptional(await describeNodeGroup(eks, key, signal), toManagedNodeGroup),
    TTL,
    now,
  );

/** Statuses in which EKS drains and terminates nodes of a node group. Node auto repair replaces or reboots unhealthy nodes. */
const UPDATING: ReadonlySet<string | undefined> = new Set(['UPDATING', 'DELETING']);

/** Looks up by `managedKey` what EKS does to a node group. Cached for a minute. */
export const createEksActions = (eks: EKSClient, now: () => EpochMs): Lookup<readonly CloudAction[]> =>
  createSingleLookup(
    async (key, signal) => mapOptional(await describeNodeGroup(eks, key, signal), eksActionsOf),
    minutes(1),
    now,
  );

const eksActionsOf = ({ status, nodeRepairConfig }: Nodegroup): readonly CloudAction[] =>
  actionsUnderWay({ Updating: UPDATING.has(status), NodeRepair: nodeRepairConfig?.enabled === true });

/** @param key by `managedKey`. */
export async function describeNodeGroup(
  eks: EKSClient,
  key: string,
  signal?: AbortSignal,
): Promise<Nodegroup | undefined> {
  const [cluster, name] = key.split('/');
  const { nodegroup } = await eks.send(
    new DescribeNodegroupCommand({ clusterName: cluster, nodegroupName: name }),
    abortable(signal),
  );
  return nodegroup;
}

const EFFECTS: Readonly<Record<string, string>> = {
  NO_SCHEDULE: 'NoSchedule',
  NO_EXECUTE: 'NoExecute',
  PREFER_NO_SCHEDULE: 'PreferNoSchedule',
};

/**
 * Reads EKS' description. Cluster Autoscaler also gives its templates the labels `amiType`, `diskSize` and
 * `k8sVersion`, which no real node has: a pod that selects such a label would start nodes that it can never run on.
 * These labels are left out here.
 */
export function toManagedNodeGroup(group: Nodegroup): ManagedNodeGroup {
  const { tags } = parseTags(group.tags ?? {});
  return {
    labels: {
      ...group.labels,
      ...present({ [NODE_GROUP_LABEL]: group.nodegroupName, [CAPACITY_TYPE_LABEL]: group.capacityType }),
    },
    taints: (group.taints ?? []).map(({ key = '', value = '', effect = '' }) => ({
      key,
      value,
      effect: EFFECTS[effect] ?? effect,
    })),
    resources: tags.resources,
    windows: group.amiType?.startsWith('WINDOWS') ?? false,
    storage: mapOptional(group.diskSize, (gib) => gib * 2 ** 30) ?? null,
  };
}
