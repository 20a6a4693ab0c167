import { describe } from 'vitest';
import { clusterName, groupName } from '../../../../core/model/values/names.ts';
import { createAutoScalingGroups } from '../../../../providers/aws/auto-scaling-groups.ts';
import { nodeGroupsContract } from '../../node-groups.contract.ts';
import { scalingGroup, testWorld } from '../../../simulation/builders.ts';
import { simulatedAws } from '../simulated-aws.ts';
import { startWireServer } from '../wire-server.ts';

/** Longer than the longest boot, and the longest end of an instance. */
const SETTLED_SECONDS = 180;

describe('Auto Scaling groups', () => {
  nodeGroupsContract({ canBeMalformed: true, keepsInstances: true }, async (wishes) => {
    const world = testWorld(
      wishes.map(({ name, min = 0, max = 10, size = 0 }) =>
        scalingGroup(name, { minSize: min, maxSize: max, desiredSize: size }),
      ),
    );
    const malformed = new Set(wishes.flatMap((wish) => (wish.malformed === true ? wish.name : [])));
    const { clients } = await startWireServer(simulatedAws('c1', world, malformed));
    return {
      groups: createAutoScalingGroups({
        cluster: clusterName('c1'),
        region: 'us-east-1',
        clients,
        prices: false,
        warn: () => {},
        now: world.clock.now,
      }),
      nameOf: groupName,
      nodes: world.api.listNodes,
      // The server answers in the time of the test; the cloud's own time stands still meanwhile.
      call: (make) => make(),
      settle: () => world.pass(SETTLED_SECONDS),
    };
  });
});
