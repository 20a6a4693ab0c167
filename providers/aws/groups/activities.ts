import { getExisting, itemAt } from '@outrigger/core/model/values/existing.ts';
import { type Activity, type AutoScalingClient, DescribeScalingActivitiesCommand } from '@aws-sdk/client-auto-scaling';
import pMap from 'p-map';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import {
  heldInstances,
  type LaunchFailure,
  launchFailureId,
  type NodeGroup,
} from '@outrigger/core/model/node-group.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { classifyLaunchFailure, failureOrThrow } from '../api/failures.ts';

/**
 * Groups read in one evaluation, those with the oldest scale-up request first: API calls are rate-limited per account.
 */
const MAX_GROUPS = 10;
/** Concurrent calls. */
const CONCURRENCY = 5;
/** Activities per page: the API's maximum. */
const PAGE = 100;
/** Pages read of one group in one evaluation: the launches of the largest request and some retries. */
const MAX_PAGES = 5;

/**
 * The groups with a `LaunchFailure` for each instance that AWS has failed to launch since the last scale-up request. One
 * call for each group with an open request and fewer instances than its desired capacity.
 *
 * @param asked time of the last scale-up request by group; other groups are returned unchanged.
 */
export async function withLaunchFailures(
  client: AutoScalingClient,
  groups: readonly NodeGroup[],
  asked: ReadonlyMap<GroupName, EpochMs>,
  signal?: AbortSignal,
): Promise<readonly NodeGroup[]> {
  const waiting = groups
    .filter((group) => asked.has(group.name) && missing(group) > 0)
    .toSorted((a, b) => getExisting(asked, a.name) - getExisting(asked, b.name))
    .slice(0, MAX_GROUPS);
  const failed = new Map<GroupName, NodeGroup>();
  await pMap(
    waiting,
    async (group) => {
      const activities = await describeActivities(client, group.name, getExisting(asked, group.name), signal);
      failed.set(group.name, withFailures(group, activities, getExisting(asked, group.name)));
    },
    { concurrency: CONCURRENCY },
  );
  return groups.map((group) => failed.get(group.name) ?? group);
}

const missing = (group: NodeGroup): number => group.targetSize - heldInstances(group).length;

/**
 * The activities of a group since a time, and some older ones: those in progress first, then the newest first. Pages are
 * read up to the first with a finished activity that began before that time, because all later activities are older. When
 * a call fails, the pages read before it count; the next evaluation reads again.
 */
async function describeActivities(
  client: AutoScalingClient,
  name: GroupName,
  since: EpochMs,
  signal?: AbortSignal,
): Promise<readonly Activity[]> {
  const activities: Activity[] = [];
  let token: string | undefined;
  try {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { Activities = [], NextToken } = await client.send(
        new DescribeScalingActivitiesCommand({ AutoScalingGroupName: name, MaxRecords: PAGE, NextToken: token }),
        abortable(signal),
      );
      activities.push(...Activities);
      token = NextToken;
      if (token === undefined || Activities.some((one) => isFinished(one) && startedBefore(one, since))) {
        break;
      }
    }
  } catch (error) {
    failureOrThrow(error);
  }
  return activities;
}

/** Adds a failure for each missing instance whose launch is not in progress. */
function withFailures(group: NodeGroup, activities: readonly Activity[], since: EpochMs): NodeGroup {
  const shown = new Set<string>(group.instances.map(({ id }) => id));
  const { failures, underWay } = readActivities(activities, since, shown);
  const count = missing(group) - underWay;
  if (failures.length === 0 || count <= 0) {
    return group;
  }
  const launchFailures = Array.from({ length: count }, (_, n) => ({
    id: launchFailureId(group.name, n),
    ...itemAt(failures, n % failures.length),
  }));
  return { ...group, launchFailures };
}

/** The results of the launches since a time. */
interface LaunchResults {
  /** Newest first; none from before the last successful launch, because Auto Scaling may have found another zone. */
  readonly failures: readonly Omit<LaunchFailure, 'id'>[];
  /** Number of launches in progress whose instance is not in the group's description yet. */
  readonly underWay: number;
}

/**
 * Reads scaling activities in AWS' order: those in progress first, whatever their age, then the newest first. A
 * finished activity from before `since` belongs to an earlier request. A launch in progress counts whenever it began,
 * because it is one of the group's missing instances.
 *
 * @param shown the IDs of the instances in the group's description.
 */
export function readActivities(
  activities: readonly Activity[],
  since: EpochMs,
  shown: ReadonlySet<string> = new Set(),
): LaunchResults {
  const failures: Omit<LaunchFailure, 'id'>[] = [];
  let underWay = 0;
  let succeeded: number | null = null;
  for (const activity of activities) {
    const { StatusCode, StatusMessage = '', Description = '', Details } = activity;
    if (!LAUNCH.test(Description)) {
      continue;
    }
    if (!isFinished(activity)) {
      underWay += Number(isWithoutInstance(activity, shown));
    } else if (startedBefore(activity, since)) {
      continue;
    } else if (StatusCode === 'Failed') {
      if (succeeded === null || startOf(activity) >= succeeded) {
        failures.push({ ...classifyLaunchFailure(StatusMessage), zone: zoneOf(Details, StatusMessage) });
      }
    } else if (StatusCode === 'Successful') {
      succeeded ??= startOf(activity);
    }
  }
  return { failures, underWay };
}

/**
 * A launch into the warm pool fills no size of the group. Source of the text: "Launching a new EC2 instance into warm pool: i-…" in
 * aws-samples/amazon-ec2-auto-scaling-group-examples.
 */
const LAUNCH = /^Launching (?!a new EC2 instance into warm pool)/;

const startOf = ({ StartTime }: Activity): number => StartTime?.getTime() ?? 0;

/** AWS reports times in whole seconds. */
const startedBefore = (activity: Activity, since: EpochMs): boolean =>
  startOf(activity) < Math.floor(since / 1_000) * 1_000;

const isFinished = ({ StatusCode }: Activity): boolean => FINISHED.has(StatusCode);

const FINISHED: ReadonlySet<string | undefined> = new Set(['Successful', 'Failed', 'Cancelled']);

/** Is the instance of this launch missing from the group? The description contains its ID once it exists. */
function isWithoutInstance({ StatusCode, Description = '' }: Activity, shown: ReadonlySet<string>): boolean {
  const [instance] = /\bi-[0-9a-f]+\b/.exec(Description.slice(0, MAX_DESCRIPTION)) ?? [];
  if (instance === undefined) {
    return WITHOUT_INSTANCE.has(StatusCode);
  }
  return !shown.has(instance);
}

/** The ID is among the first words. */
const MAX_DESCRIPTION = 200;

/** Later states have an instance. */
const WITHOUT_INSTANCE: ReadonlySet<string | undefined> = new Set([
  'PendingSpotBidPlacement',
  'WaitingForSpotInstanceRequestId',
  'WaitingForSpotInstanceId',
  'WaitingForInstanceId',
]);

/** `Details` is JSON with the zone of the attempt; some messages contain the zone too. */
function zoneOf(details: string | undefined, message: string): string | null {
  const named =
    /"Availability Zone"\s*:\s*"([^"]+)"/.exec(details ?? '') ??
    /Availability Zone you requested \(([^)]+)\)/.exec(message);
  return named?.[1] ?? null;
}
