import {
  type AutoScalingClient,
  DescribeInstanceRefreshesCommand,
  type InstanceRefreshStatus,
} from '@aws-sdk/client-auto-scaling';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { type Lookup, createSingleLookup } from '../api/lookup.ts';
import { actionsUnderWay, type CloudAction } from '@outrigger/core/model/cloud-action.ts';

/** Statuses in which Auto Scaling launches and terminates instances of the group. It takes back what was begun, too. */
const REPLACING: ReadonlySet<InstanceRefreshStatus | undefined> = new Set([
  'Pending',
  'InProgress',
  'Cancelling',
  'RollbackInProgress',
]);

/** Looks up by the name of an Auto Scaling group whether an instance refresh is replacing its instances. Cached for a minute. */
export const createInstanceRefreshes = (
  autoScaling: AutoScalingClient,
  now: () => EpochMs,
): Lookup<readonly CloudAction[]> =>
  createSingleLookup(
    async (name, signal) => {
      // A group has one at a time, and those of six weeks are described.
      const { InstanceRefreshes = [] } = await autoScaling.send(
        new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: name }),
        abortable(signal),
      );
      return actionsUnderWay({ InstanceRefresh: InstanceRefreshes.some(({ Status }) => REPLACING.has(Status)) });
    },
    minutes(1),
    now,
  );
