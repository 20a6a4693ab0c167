import { type AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { clusterTag, type Discovery, type DiscoveryTag } from '@outrigger/core/model/discovery.ts';
import { abortable } from '../api/clients.ts';
import type { Tags } from './tags.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';

/** Groups per page, and names per question: the API's maximum. */
export const PAGE = 100;

/** Whether a group has all of these tags; `false` without tags. */
export const hasTags = (tags: Tags, wanted: readonly DiscoveryTag[]): boolean =>
  wanted.length > 0 && wanted.every(({ key, value }) => Object.hasOwn(tags, key) && (value ?? tags[key]) === tags[key]);

/** Tags of which a group of the cluster has one, whether it is a node group of Outrigger's or not. */
const tagsOfCluster = (cluster: string): readonly DiscoveryTag[] => [
  { key: clusterTag(cluster), value: null },
  { key: `kubernetes.io/cluster/${cluster}`, value: null },
  { key: 'eks:cluster-name', value: cluster },
];

/**
 * The groups of the cluster among these groups, read without their instances: node groups, and groups with another tag
 * of the cluster, which may have been node groups or become such. Errors are the SDK's.
 */
export async function groupsNamed(
  client: AutoScalingClient,
  { cluster, discovery }: { readonly cluster: string; readonly discovery: Discovery },
  names: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  for (const some of chunksOf(names, PAGE)) {
    const { AutoScalingGroups = [] } = await client.send(
      new DescribeAutoScalingGroupsCommand({
        AutoScalingGroupNames: [...some],
        MaxRecords: PAGE,
        IncludeInstances: false,
      }),
      abortable(signal),
    );
    for (const { AutoScalingGroupName: name = '', Tags = [] } of AutoScalingGroups) {
      const tags = Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]));
      const isDiscovered = discovery.nodes.some((explicit) => explicit.name === name) || hasTags(tags, discovery.tags);
      if (isDiscovered || tagsOfCluster(cluster).some((tag) => hasTags(tags, [tag]))) {
        own.add(name);
      }
    }
  }
  return own;
}
