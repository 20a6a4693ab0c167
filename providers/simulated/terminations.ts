import type { GroupName, InstanceId } from '../../core/model/values/names.ts';
import type { Terminations } from '../../core/ports/terminations.ts';
import type { ApiCalls } from './api-call.ts';
import type { Cloud } from './auto-scaling.ts';

/** Whose instances are whose. The simulated groups have no lifecycle hooks, so none waits for one. */
export const createTerminations = (scaling: Cloud, calls: ApiCalls): Terminations => ({
  groupsOf: (instances, signal) =>
    calls.make(
      { service: 'autoscaling', operation: 'DescribeAutoScalingInstances' },
      (): ReadonlyMap<InstanceId, GroupName> => {
        const asked = new Set(instances);
        return new Map(
          scaling
            .groups()
            .flatMap(({ group, instances: its }) =>
              its.flatMap(({ id }) => (asked.has(id) ? [[id, group.name] as const] : [])),
            ),
        );
      },
      signal,
    ),
  completeHook: async () => ({ kind: 'gone' }),
  heartbeat: async () => ({ kind: 'gone' }),
});
