import type { Activity } from '@aws-sdk/client-auto-scaling';
import type { LaunchFailure, NodeGroup } from '../../core/model/node-group.ts';
import { epochMs } from '../../core/model/values/time.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import { readActivities } from '../../providers/aws/groups/activities.ts';

const MARKET = 'Could not launch On-Demand Instances.';

/** The status message of a failed scaling activity, as Auto Scaling writes it. */
export const statusMessageOf = ({ code, message }: Pick<LaunchFailure, 'code' | 'message'>): string =>
  `${MARKET} ${code} - ${message} Launching EC2 instance failed.`;

/**
 * The groups with their launch failures read from the texts of scaling activities, which is all that AWS says of them: class,
 * code and zone are what the reader of these texts finds.
 */
export const fromActivityTexts = (groups: NodeGroups): NodeGroups => ({
  ...groups,
  withLaunchFailures: async (...asked) => (await groups.withLaunchFailures(...asked)).map(reread),
});

const reread = (group: NodeGroup): NodeGroup => ({
  ...group,
  launchFailures: group.launchFailures.map((failure) => {
    const { failures } = readActivities([activityOf(group, failure)], epochMs(0));
    return { id: failure.id, ...failures[0]! };
  }),
});

function activityOf({ name }: NodeGroup, failure: LaunchFailure): Activity {
  const text = statusMessageOf(failure);
  return {
    ActivityId: failure.id,
    AutoScalingGroupName: name,
    Description: `Launching a new EC2 instance.  Status Reason: ${text}`,
    Cause: 'an instance was started in response to a difference between desired and actual capacity',
    StartTime: new Date(0),
    StatusCode: 'Failed',
    StatusMessage: text,
    Details: JSON.stringify({ 'Subnet ID': 'subnet-0', 'Availability Zone': failure.zone }),
  };
}
