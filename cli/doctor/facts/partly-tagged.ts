import { valueOf } from '@outrigger/core/model/values/records.ts';
import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import pMap from 'p-map';
import type { Discovery, DiscoveryTag } from '@outrigger/core/model/discovery.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { listGroups } from '@outrigger/providers/aws/groups/discovery.ts';
import { hasTags } from '@outrigger/providers/aws/groups/membership.ts';
import type { ScalingGroup } from '@outrigger/providers/aws/groups/scaling-group.ts';

/** A group that has some of the tags that make it a node group of the cluster. */
export interface PartlyTagged {
  readonly name: string;
  readonly lacking: readonly DiscoveryTag[];
}

/**
 * Finds groups with some of the tags of a discovery, and not all of them. Groups that belong to another cluster by their
 * tags are none: all of Cluster Autoscaler's groups have the tag `k8s.io/cluster-autoscaler/enabled`.
 *
 * @returns sorted by name. Errors are the SDK's.
 */
export async function readPartlyTagged(
  client: AutoScalingClient,
  cluster: string,
  { tags, nodes }: Discovery,
): Promise<readonly PartlyTagged[]> {
  if (tags.length < 2) {
    return [];
  }
  const found = await pMap(tags, async (tag) => await listGroups(client, { tags: [tag], nodes: [] }), {
    concurrency: 5,
  });
  const groups = new Map(found.flat().map((group) => [group.name, group]));
  return [...groups.values()]
    .filter((group) => !hasTags(group.tags, tags) && !nodes.some(({ name }) => name === group.name))
    .filter((group) => !isOfOther(group, cluster))
    .map((group) => ({ name: group.name, lacking: tags.filter((tag) => !hasTags(group.tags, [tag])) }))
    .toSorted((a, b) => byName(a.name, b.name));
}

/** Keys of tags that name the cluster of a group, or have it as their value. */
const OWNERS = /^(?:k8s\.io\/cluster-autoscaler|kubernetes\.io\/cluster)\/([^/]+)$/;

function isOfOther({ tags }: ScalingGroup, cluster: string): boolean {
  const owners = Object.keys(tags).flatMap((key) => OWNERS.exec(key)?.[1] ?? []);
  const ofEks = valueOf(tags, 'eks:cluster-name') ?? [];
  const named = owners.filter((name) => name !== 'enabled').concat(ofEks);
  return named.length > 0 && !named.includes(cluster);
}
