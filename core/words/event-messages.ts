import type { Increase, Removal, ScaleUpDecision } from '../model/decision.ts';
import type { Drain, DrainFailure } from '../model/drain.ts';
import type { FailureClass } from '../model/node-group.ts';
import type { NoticeKind } from '../model/notice.ts';
import type { Scenario } from '../model/scenario.ts';
import { bytesOf, clippedList, MOST_EVENT_BYTES } from '../model/values/clip.ts';
import type { GroupName, InstanceId, PodKey } from '../model/values/names.ts';
import { presentItems } from '../model/values/optional.ts';
import { type DurationMs, formatDuration } from '../model/values/time.ts';
import { NOTICES } from './notices.ts';
import { whyLaunchFailed } from './why-launch-failed.ts';

/** A node group that grows, as Cluster Autoscaler's events show it. */
export interface Growth extends Increase {
  readonly max: number;
}

export function growthOf(
  { nodeGroups }: Pick<Scenario, 'nodeGroups'>,
  { increases }: Pick<ScaleUpDecision, 'increases'>,
): readonly Growth[] {
  const most = new Map(nodeGroups.map(({ name, maxSize }) => [name, maxSize]));
  return increases.map((increase) => ({ ...increase, max: most.get(increase.group) ?? increase.to }));
}

/** A message with as many of the details as fit into an event. The last one names the nearest node group: it goes before the others. */
function withDetails(message: string, details: readonly string[]): string {
  const nearest = details.slice(-1);
  let left = MOST_EVENT_BYTES - bytesOf([message, ...nearest].join('. '));
  const others = details.slice(0, -1).filter((line) => {
    left -= bytesOf(`. ${line}`);
    return left >= 0;
  });
  return [message, ...others, ...nearest].join('. ');
}

/** Messages of events: Cluster Autoscaler's, whose reasons they bear. */
export const EVENT_MESSAGES = {
  triggered: (growing: readonly Growth[]) =>
    `pod triggered scale-up: [${growing.map(({ group, from, to, max }) => `{${group} ${from}->${to} (max: ${max})}`).join(' ')}]`,
  notTriggered: (why: string, details: readonly string[]) =>
    withDetails(`pod didn't trigger scale-up: ${why}`, details),
  tainted: (notice: NoticeKind | null) =>
    presentItems(['marked the node as toBeDeleted/unschedulable', notice && NOTICES[notice].short]).join(': '),
  removed: (notice: NoticeKind | null) =>
    notice === null ? 'node removed by Outrigger' : `node drained by Outrigger: ${NOTICES[notice].short}`,
  cordoned: (notice: NoticeKind) => `cordoned the node: ${NOTICES[notice].short}`,
  growing: ({ group, from, to, max }: Growth) =>
    `Scale-up: setting group ${group} size to ${to} instead of ${from} (max: ${max})`,
  grown: ({ group, from, to }: Increase) => `Scale-up: group ${group} size set to ${to} instead of ${from}`,
  notGrown: (group: GroupName, message: string) => `Scale-up failed for group ${group}: ${message}`,
  timedOut: (group: GroupName, within: DurationMs) =>
    `Nodes added to group ${group} failed to register within ${formatDuration(within)}`,
  launchesFailed: (group: GroupName, failure: FailureClass) =>
    `Failed adding nodes to group ${group} due to ${failure}; ${whyLaunchFailed(failure)}`,
  unhealthy: () => 'Cluster is unhealthy',
  maxNodesTotal: (total: number) => `Max total nodes in cluster reached: ${total}`,
  maxCostPerHour: (group: GroupName, limits: string) =>
    `Max cost per hour reached: node group ${group} does not grow (${limits})`,
  deleted: (instances: readonly InstanceId[]) => `Removed unregistered node ${clippedList(instances)}`,
  notDeleted: (instances: readonly InstanceId[], message: string) =>
    `Failed to remove node ${clippedList(instances)}: ${message}`,
  removingEmpty: ({ node }: Removal) => `Scale-down: removing empty node "${node}"`,
  removing: ({ node, pods }: Removal) =>
    `Scale-down: removing node ${node}, pods to reschedule: ${clippedList(pods.map((pod) => pod.slice(pod.indexOf('/') + 1)))}`,
  failed: (kind: Drain['kind'], failure: DrainFailure, pod: PodKey | null, message: string) =>
    presentItems([failedTo(kind, failure), pod && `pod ${pod}`, message]).join(': '),
  evicted: () => 'deleting pod for node scale down',
  notEvicted: (refusal: string | null) => presentItems(['failed to delete pod for ScaleDown', refusal]).join(': '),
};

function failedTo(kind: Drain['kind'], failure: DrainFailure): string {
  if (failure === 'FailedToMarkToBeDeleted') {
    return 'failed to mark the node as toBeDeleted/unschedulable';
  }
  return kind === 'empty' ? 'failed to delete empty node' : 'failed to drain and delete node';
}
