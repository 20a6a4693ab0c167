import { expect, it } from 'vitest';
import { timelineOf } from '../../../core/explanation/timeline.ts';
import { entryOf } from '../../../core/history/story.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { clusterName, groupName } from '../../../core/model/values/names.ts';
import { addTime, durationMs, type EpochMs, seconds } from '../../../core/model/values/time.ts';
import type { HistoryDecision } from '../../../core/ports/decision-history.ts';
import { agent, deployment, scalingGroup, testWorld } from '../../providers/simulated/builders.ts';
import { startRuntime } from './start-runtime.ts';

const GROUP = groupName('a');
const BOOT = { min: 300_000, max: 300_000 };

/** A group grows from 1 to 6, and another client changes its size: the milliseconds until it is raised again, and its history. */
async function changed(to: number, afterSeconds: number) {
  const world = testWorld([scalingGroup('a', { desiredSize: 1, minSize: 1, maxSize: 10, boot: BOOT })], {
    daemonSets: [agent],
  });
  const { clock, scaling, controllers } = world;
  const sizeIs = (size: number): boolean =>
    scaling.groups().find(({ group }) => group.name === GROUP)!.desired === size;
  const until = async (size: number, limitSeconds: number): Promise<EpochMs> => {
    await clock.run({ done: () => sizeIs(size), until: addTime(clock.now(), seconds(limitSeconds)) });
    expect(sizeIs(size)).toBe(true);
    return clock.now();
  };
  const decisions: HistoryDecision[] = [];
  startRuntime({
    world,
    onDecision: (scenario, decision) => {
      const id = String(decisions.length + 1);
      decisions.push({
        ...entryOf(Number(id), scenario.now, decision),
        scenario: 'sampled',
        decision,
        settings: defaultOptions(),
      });
    },
  });
  await world.pass(310);
  controllers.apply(deployment('web', 6, { cpu: 3 }));
  await until(6, 10);
  await world.pass(afterSeconds);
  scaling.setDesired(GROUP, to);
  const changedAt = clock.now();
  const raisedAfter = durationMs((await until(6, 200)) - changedAt);
  const story = timelineOf(clusterName('web'), decisions, { kind: 'group', name: 'a' });
  return { raisedAfter, story: story.filter(({ from }) => from >= changedAt).map(({ what, why }) => [what, ...why]) };
}

it.each([
  { to: 1, afterSeconds: 0 },
  { to: 3, afterSeconds: 0 },
  { to: 1, afterSeconds: 8 },
])('a size that another client sets to $to $afterSeconds s later is raised within 20 s', async (given) => {
  const { raisedAfter, story } = await changed(given.to, given.afterSeconds);
  expect(raisedAfter).toBeLessThanOrEqual(20_000);
  expect(story).toEqual([[`Grows from ${given.to} to 6.`, `The size was changed from 6 to ${given.to} by others.`]]);
});
