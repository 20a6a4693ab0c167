import { type Activity, type AutoScalingClient, DescribeScalingActivitiesCommand } from '@aws-sdk/client-auto-scaling';
import type { GroupName } from '../../core/model/names.ts';
import { heldInstances, type Instance, type NodeGroup, placeholderId } from '../../core/model/node-group.ts';
import type { EpochMs } from '../../core/model/time.ts';
import { abortable } from './clients.ts';
import { type AwsFailure, classifyLaunchFailure, failureOf } from './failures.ts';

/** A launch that failed, and where, as far as AWS says. */
export interface LaunchFailure extends AwsFailure {
  readonly zone: string | null;
}

/** Groups that are asked about in one look, those that have waited longest first: the calls of an account are few. */
const MAX_GROUPS = 10;
/** Calls under way at once. */
const CONCURRENCY = 5;
/** Activities that are looked at: the launches of one request, and a few tries more. */
const MAX_ACTIVITIES = 50;

/**
 * The groups with a placeholder instance for each machine that AWS has failed to launch since we asked for it. One call
 * for each group that has fewer instances than its desired capacity and machines of ours to come.
 *
 * @param asked when we asked last, by group; groups that are not in it are left as they are.
 */
export async function withLaunchFailures(
  client: AutoScalingClient,
  groups: readonly NodeGroup[],
  asked: ReadonlyMap<GroupName, EpochMs>,
  signal?: AbortSignal,
): Promise<readonly NodeGroup[]> {
  const waiting = groups
    .filter((group) => asked.has(group.name) && missing(group) > 0)
    .toSorted((a, b) => asked.get(a.name)! - asked.get(b.name)!)
    .slice(0, MAX_GROUPS);
  const failed = new Map<GroupName, NodeGroup>();
  const queue = waiting.values();
  await Promise.all(
    Array.from({ length: Math.min(CONCURRENCY, waiting.length) }, async () => {
      for (const group of queue) {
        const activities = await describeActivities(client, group.name, signal);
        failed.set(group.name, withPlaceholders(group, activities, asked.get(group.name)!));
      }
    }),
  );
  return groups.map((group) => failed.get(group.name) ?? group);
}

const missing = (group: NodeGroup): number => group.targetSize - heldInstances(group).length;

/** Newest first. None where AWS does not answer: nothing is known then, and the next look asks again. */
async function describeActivities(
  client: AutoScalingClient,
  name: GroupName,
  signal?: AbortSignal,
): Promise<readonly Activity[]> {
  try {
    const { Activities = [] } = await client.send(
      new DescribeScalingActivitiesCommand({ AutoScalingGroupName: name, MaxRecords: MAX_ACTIVITIES }),
      abortable(signal),
    );
    return Activities;
  } catch (error) {
    if (failureOf(error) === null) {
      throw error;
    }
    return [];
  }
}

/** Whoever is missing has failed, but for those whose launch is still under way. */
function withPlaceholders(group: NodeGroup, activities: readonly Activity[], since: EpochMs): NodeGroup {
  const { failures, underWay } = readActivities(activities, since);
  const count = failures.length === 0 ? 0 : Math.max(0, missing(group) - underWay);
  const placeholders = Array.from({ length: count }, (_, n): Instance => {
    const { zone, ...error } = failures[n % failures.length]!;
    return { id: placeholderId(group.name, n), node: null, zone, state: 'Creating', error };
  });
  return count === 0 ? group : { ...group, instances: [...group.instances, ...placeholders] };
}

/** What the launches since a moment have come to. */
export interface Launches {
  /** Newest first; none of before the last launch that succeeded, for Auto Scaling may have found another zone. */
  readonly failures: readonly LaunchFailure[];
  /** Launches that wait for an instance. */
  readonly underWay: number;
}

/**
 * Reads scaling activities, newest first as AWS gives them. Activities of before `since` belong to another request:
 * a failure of last week says nothing of today.
 */
export function readActivities(activities: readonly Activity[], since: EpochMs): Launches {
  const failures: LaunchFailure[] = [];
  let underWay = 0;
  let succeeded: number | null = null;
  for (const { StartTime, StatusCode, StatusMessage = '', Description = '', Details } of activities) {
    // AWS' times are whole seconds.
    const started = StartTime?.getTime() ?? 0;
    if (started < Math.floor(since / 1_000) * 1_000) {
      break;
    }
    if (!Description.startsWith('Launching')) {
      continue;
    }
    if (StatusCode === 'Failed') {
      if (succeeded === null || started >= succeeded) {
        failures.push({ ...classifyLaunchFailure(StatusMessage), zone: zoneOf(Details, StatusMessage) });
      }
    } else if (StatusCode === 'Successful') {
      succeeded ??= started;
    } else if (StatusCode !== undefined && WITHOUT_INSTANCE.has(StatusCode)) {
      underWay += 1;
    }
  }
  return { failures, underWay };
}

/** Later states have an instance, which the group lists. */
const WITHOUT_INSTANCE: ReadonlySet<string> = new Set([
  'PendingSpotBidPlacement',
  'WaitingForSpotInstanceRequestId',
  'WaitingForSpotInstanceId',
  'WaitingForInstanceId',
]);

/** `Details` is JSON with the zone that was tried; some messages name it too. */
function zoneOf(details: string | undefined, message: string): string | null {
  const named =
    /"Availability Zone"\s*:\s*"([^"]+)"/.exec(details ?? '') ??
    /Availability Zone you requested \(([^)]+)\)/.exec(message);
  return named?.[1] ?? null;
}
