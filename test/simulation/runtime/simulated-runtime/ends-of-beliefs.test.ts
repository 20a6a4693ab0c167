import { expect, it } from 'vitest';
import { groupName } from '../../../../core/model/values/names.ts';
import { addTime, durationMs, type EpochMs, minutes } from '../../../../core/model/values/time.ts';
import { agent, deployment, scalingGroup, testWorld } from '../../builders.ts';
import { startRuntime } from '../start-runtime.ts';

it('a group is asked again within seconds of the end of its backoff, and not at the next scan', async () => {
  const group = groupName('a');
  const world = testWorld([scalingGroup('a', { available: 0 })], { daemonSets: [agent] });
  const backoffs: EpochMs[] = [];
  startRuntime({
    world,
    onDecision: (_scenario, { state }) => {
      const until = state.backoff[group]?.until;
      if (until !== undefined && until !== backoffs.at(-1)) {
        backoffs.push(until);
      }
    },
  });
  // Not with the scans, which come each minute.
  await world.pass(100);
  world.controllers.apply(deployment('web', 2, { cpu: 3 }));
  await world.pass(60);
  expect(backoffs).toHaveLength(1);
  world.scaling.setAvailable(group, 10);
  const isRaised = (): boolean => world.scaling.groups().some(({ desired }) => desired === 2);
  await world.clock.run({ done: isRaised, until: addTime(world.clock.now(), minutes(10)) });
  const raisedAfter = durationMs(world.clock.now() - backoffs[0]!);
  expect(raisedAfter).toBeGreaterThan(0);
  expect(raisedAfter).toBeLessThan(3_000);
});
