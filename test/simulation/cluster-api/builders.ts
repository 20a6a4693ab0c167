import type { ApiRequest } from '../../../providers/kubernetes/client/api-request.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { createApiCalls } from '../../../simulation/api-call.ts';
import { createApiServer } from '../../../simulation/cluster/api-server.ts';
import { chanceFor } from '../../../simulation/chance.ts';
import { createClock } from '../../../simulation/clock.ts';
import { type ScaledDown, startClusterApi } from '../../../simulation/cluster-api/cluster-api.ts';
import type { SimulatedScalingGroup } from '../../../simulation/cloud/scaling-group.ts';
import type { EventContent } from '../../../simulation/world-event.ts';
import { NO_FAULTS, type WorldFaults } from '../../../simulation/world-faults.ts';
import { scalingGroup, START, withClock } from '../builders.ts';

/** A MachineDeployment of the namespace `default`, from 0 to 10. */
export const machineDeployment = (
  name: string,
  given: Partial<Omit<SimulatedScalingGroup, 'name'>> = {},
): SimulatedScalingGroup => scalingGroup(`MachineDeployment/default/${name}`, given);

/** A management cluster alone, with what happens in it. */
export function managementCluster(
  groups: readonly SimulatedScalingGroup[],
  given: Partial<WorldFaults> = {},
  seed = 1,
) {
  const clock = createClock(START);
  const api = createApiServer();
  const faults = { ...NO_FAULTS, ...given };
  const events: EventContent[] = [];
  const scaledDown: ScaledDown[] = [];
  const clusterApi = startClusterApi({
    clock,
    api,
    seed,
    groups,
    emit: (event) => events.push(event),
    calls: createApiCalls(clock, chanceFor(seed, 'calls'), faults),
    faults,
  });
  clusterApi.onScaledDown((event) => scaledDown.push(event));
  const viewOf = (name: GroupName) => clusterApi.groups().find(({ group }) => group.name === name)!;
  return {
    ...clusterApi,
    clock,
    api,
    events,
    scaledDown,
    viewOf,
    pass: (seconds: number): Promise<void> =>
      clock.run({ done: () => false, until: epochMs(clock.now() + seconds * 1_000) }),
    /** Sends a request and reads the JSON of its response. */
    send: (request: ApiRequest): Promise<Json> =>
      withClock({ clock }, () => clusterApi.transport.send(request, ({ body }) => JSON.parse(body.toString('utf8')))),
  };
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;
