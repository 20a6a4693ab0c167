import {
  type AutoScalingClient,
  DescribeAutoScalingGroupsCommand,
  paginateDescribeAutoScalingGroups,
} from '@aws-sdk/client-auto-scaling';
import { byName } from '../../../core/model/values/names.ts';
import { abortable } from '../api/clients.ts';
import { callFailed } from '../api/failures.ts';
import { type ScalingGroup, toScalingGroup } from './scaling-group.ts';
import { ENABLED_TAG, clusterTag, isDiscovered } from './tags.ts';

/** Groups per page: the API's maximum. */
const PAGE = 100;

/**
 * Finds the groups of one cluster: those that carry both discovery tags. One call per hundred groups.
 *
 * @returns sorted by name.
 * @throws when the call fails, after the SDK's retries: a decision needs the complete list.
 */
export async function discoverGroups(
  client: AutoScalingClient,
  cluster: string,
  signal?: AbortSignal,
): Promise<readonly ScalingGroup[]> {
  const groups: ScalingGroup[] = [];
  try {
    const pages = paginateDescribeAutoScalingGroups(
      { client, pageSize: PAGE },
      {
        // Filters are ANDed, the values inside one filter ORed: two filters, not one with two keys.
        Filters: [
          { Name: 'tag-key', Values: [ENABLED_TAG] },
          { Name: 'tag-key', Values: [clusterTag(cluster)] },
        ],
      },
      abortable(signal),
    );
    for await (const { AutoScalingGroups = [] } of pages) {
      groups.push(...AutoScalingGroups.map(toScalingGroup));
    }
  } catch (error) {
    throw callFailed(`DescribeAutoScalingGroups for cluster ${cluster}`, error);
  }
  return groups.filter(({ tags }) => isDiscovered(tags, cluster)).sort((a, b) => byName(a.name, b.name));
}

/** Reads one group by name; `null` where it does not exist or does not belong to this cluster. Errors are the SDK's. */
export async function describeGroup(
  client: AutoScalingClient,
  cluster: string,
  name: string,
  signal?: AbortSignal,
): Promise<ScalingGroup | null> {
  const { AutoScalingGroups = [] } = await client.send(
    new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }),
    abortable(signal),
  );
  const group = AutoScalingGroups.map(toScalingGroup).find((found) => found.name === name);
  return group !== undefined && isDiscovered(group.tags, cluster) ? group : null;
}
