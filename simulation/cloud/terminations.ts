import type { GroupName, InstanceId } from '@outrigger/core/model/values/names.ts';
import type { Terminations } from '@outrigger/core/ports/terminations.ts';
import type { ApiCalls } from '../api-call.ts';
import { asOutcome } from './groups.ts';
import type { AutoScaling } from './auto-scaling.ts';

/**
 * The groups of instances, except of instances in warm pools, and the lifecycle hooks that the instances wait for. A
 * group without the tags of discovery has another tag of its cluster.
 */
export const createSimulatedTerminations = (scaling: AutoScaling, calls: ApiCalls): Terminations => ({
  groupsOf: (instances, signal) =>
    calls.make(
      { service: 'autoscaling', operation: 'DescribeAutoScalingInstances' },
      (): ReadonlyMap<InstanceId, GroupName> => {
        const asked = new Set(instances);
        return new Map(
          scaling
            .groups()
            .flatMap(({ group, instances, aside = [] }) =>
              [...instances, ...aside].filter(({ id }) => asked.has(id)).map(({ id }) => [id, group.name] as const),
            ),
        );
      },
      signal,
    ),
  completeHook: (_group, instance, hook, signal) =>
    calls
      .make(
        { service: 'autoscaling', operation: 'CompleteLifecycleAction' },
        () => scaling.completeHook(instance, hook),
        signal,
      )
      .catch(asOutcome),
  heartbeat: (_group, instance, hook, signal) =>
    calls
      .make(
        { service: 'autoscaling', operation: 'RecordLifecycleActionHeartbeat' },
        () => scaling.heartbeat(instance, hook),
        signal,
      )
      .catch(asOutcome),
});
