import {
  type AutoScalingClient,
  DescribeInstanceRefreshesCommand,
  type InstanceRefreshStatus,
} from '@aws-sdk/client-auto-scaling';
import { ok } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { createLookup, loadEach, type Lookup } from '../api/lookup.ts';

/** Statuses in which Auto Scaling launches and terminates instances of the group. It takes back what was begun, too. */
const REPLACING: ReadonlySet<InstanceRefreshStatus | undefined> = new Set([
  'Pending',
  'InProgress',
  'Cancelling',
  'RollbackInProgress',
]);

/** Looks up by the name of an Auto Scaling group whether an instance refresh is replacing its instances. Cached for a minute. */
export const createInstanceRefreshes = (autoScaling: AutoScalingClient, now: () => EpochMs): Lookup<boolean> =>
  createLookup(
    (names, signal) =>
      loadEach(
        names,
        async (name) => {
          // A group has one at a time, and those of six weeks are described.
          const { InstanceRefreshes = [] } = await autoScaling.send(
            new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: name }),
            abortable(signal),
          );
          return [[name, ok(InstanceRefreshes.some(({ Status }) => REPLACING.has(Status)))] as const];
        },
        (name) => [name],
      ),
    minutes(1),
    now,
  );
