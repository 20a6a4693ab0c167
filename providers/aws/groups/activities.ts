import { type Activity, type AutoScalingClient, DescribeScalingActivitiesCommand } from '@aws-sdk/client-auto-scaling';
import pMap from 'p-map';
import type { GroupName } from '../../../core/model/values/names.ts';
import { heldInstances, type Instance, type NodeGroup, placeholderId } from '../../../core/model/node-group.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { type AwsFailure, classifyLaunchFailure, failureOf } from '../api/failures.ts';

/** A launch that failed, and where, as far as AWS says. */
export interface LaunchFailure extends AwsFailure {
  readonly zone: string | null;
}

/** Groups that are asked about in one look, those that have waited longest first: the calls of an account are few. */
const MAX_GROUPS = 10;
/** Calls under way at once. */
const CONCURRENCY = 5;
/** Activities of one page: the most that AWS gives. */
const PAGE = 100;
/** Pages of one group that are read in one look: the launches of the largest request, and a few tries more. */
const MAX_PAGES = 5;

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
  await pMap(
    waiting,
    async (group) => {
      const activities = await describeActivities(client, group.name, asked.get(group.name)!, signal);
      failed.set(group.name, withPlaceholders(group, activities, asked.get(group.name)!));
    },
    { concurrency: CONCURRENCY },
  );
  return groups.map((group) => failed.get(group.name) ?? group);
}

const missing = (group: NodeGroup): number => group.targetSize - heldInstances(group).length;

/**
 * The activities of a group since a moment, and some older ones: those in progress first, then the newest first. Pages are
 * read until one shows a finished activity that began before the moment: all later ones are older. Where AWS does not answer, what has been read until
 * then counts: the next look asks again.
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
    if (failureOf(error) === null) {
      throw error;
    }
  }
  return activities;
}

/** Adds a placeholder for each instance that is missing and whose launch is not under way. */
function withPlaceholders(group: NodeGroup, activities: readonly Activity[], since: EpochMs): NodeGroup {
  const shown = new Set<string>(group.instances.map(({ id }) => id));
  const { failures, underWay } = readActivities(activities, since, shown);
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
  /** Number of launches in progress whose instance the group does not show yet. */
  readonly underWay: number;
}

/**
 * Reads scaling activities in AWS' order: those in progress first, however old, then the newest first. A finished activity of
 * before `since` belongs to another request: a failure of last week says nothing of today. A launch in progress is counted
 * whenever it began, for it is one of the machines that the group still lacks.
 *
 * @param shown the IDs of the instances that the group shows.
 */
export function readActivities(
  activities: readonly Activity[],
  since: EpochMs,
  shown: ReadonlySet<string> = new Set(),
): Launches {
  const failures: LaunchFailure[] = [];
  let underWay = 0;
  let succeeded: number | null = null;
  for (const activity of activities) {
    const { StatusCode, StatusMessage = '', Description = '', Details } = activity;
    if (!Description.startsWith('Launching')) {
      continue;
    }
    if (!isFinished(activity)) {
      underWay += isWithoutInstance(activity, shown) ? 1 : 0;
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

const startOf = ({ StartTime }: Activity): number => StartTime?.getTime() ?? 0;

/** AWS' times are whole seconds. */
const startedBefore = (activity: Activity, since: EpochMs): boolean =>
  startOf(activity) < Math.floor(since / 1_000) * 1_000;

const isFinished = ({ StatusCode }: Activity): boolean => StatusCode !== undefined && FINISHED.has(StatusCode);

const FINISHED: ReadonlySet<string> = new Set(['Successful', 'Failed', 'Cancelled']);

/** Is the instance of this launch missing in the group? The description names it as soon as there is one. */
function isWithoutInstance({ StatusCode, Description = '' }: Activity, shown: ReadonlySet<string>): boolean {
  const instance = /\bi-[0-9a-f]+\b/.exec(Description.slice(0, MAX_DESCRIPTION))?.[0];
  return instance === undefined ? StatusCode !== undefined && WITHOUT_INSTANCE.has(StatusCode) : !shown.has(instance);
}

/** The ID stands in the first words. */
const MAX_DESCRIPTION = 200;

/** Later states have an instance. */
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
