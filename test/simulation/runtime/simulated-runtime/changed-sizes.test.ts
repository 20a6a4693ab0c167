import { expect, it } from 'vitest';
import { timelineOf } from '../../../../core/explanation/timeline.ts';
import { historyEntry } from '../../../../core/explanation/history/story.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import { clusterName, groupName } from '../../../../core/model/values/names.ts';
import { addTime, durationMs, seconds } from '../../../../core/model/values/time.ts';
import type { HistoryDecision } from '../../../../core/ports/decision-history.ts';
import { agent, deployment, scalingGroup, testWorld } from '../../builders.ts';
import { startRuntime } from '../start-runtime.ts';

const GROUP = groupName('a');
const BOOT = { min: 300_000, max: 300_000 };

/**
 * A group grows from 1 to 6, and another client changes its size: the milliseconds until it is raised again, or a minute and
 * a half if it is not, and the history of the group.
 */
async function changed(to: number, afterSeconds: number) {
  const world = testWorld([scalingGroup('a', { desiredSize: 1, minSize: 1, maxSize: 10, boot: BOOT })], {
    daemonSets: [agent],
    announcesStates: true,
  });
  const { clock, scaling, controllers } = world;
  const sizeIs = (size: number): boolean =>
    scaling.groups().find(({ group }) => group.name === GROUP)!.desired === size;
  const decisions: HistoryDecision[] = [];
  startRuntime({
    world,
    onDecision: (scenario, decision) => {
      const id = String(decisions.length + 1);
      decisions.push({
        ...historyEntry(Number(id), scenario.now, decision),
        scenario: 'sampled',
        decision,
        settings: defaultOptions(),
      });
    },
  });
  await world.pass(310);
  controllers.apply(deployment('web', 6, { cpu: 3 }));
  await clock.run({ done: () => sizeIs(6), until: addTime(clock.now(), seconds(10)) });
  expect(sizeIs(6)).toBe(true);
  await world.pass(afterSeconds);
  scaling.setDesired(GROUP, to);
  const changedAt = clock.now();
  await clock.run({ done: () => sizeIs(6), until: addTime(changedAt, seconds(90)) });
  const raisedAfter = durationMs(clock.now() - changedAt);
  const story = timelineOf(clusterName('web'), decisions, { kind: 'group', name: 'a' });
  return { raisedAfter, story: story.filter(({ from }) => from >= changedAt).map(({ what, why }) => [what, ...why]) };
}

it.each([
  { to: 1, afterSeconds: 0 },
  { to: 3, afterSeconds: 0 },
  { to: 1, afterSeconds: 8 },
  // The set size has been shown, and nothing is left of its intent.
  { to: 1, afterSeconds: 14 },
  { to: 3, afterSeconds: 40 },
  { to: 2, afterSeconds: 100 },
])('a size that another client sets to $to $afterSeconds s later is raised within 20 s', async (given) => {
  const { raisedAfter, story } = await changed(given.to, given.afterSeconds);
  expect(raisedAfter).toBeLessThanOrEqual(20_000);
  expect(story.map(([what]) => what)).toContain(`Grows from ${given.to} to 6.`);
  expect(story.flat()).toContain(`The size was changed from 6 to ${given.to} by others.`);
});

it.each([7, 9])('a size that another client sets to %d, more than is needed, is recorded', async (to) => {
  const { story } = await changed(to, 40);
  expect(story).toContainEqual([`Has size ${to}.`, `The size was changed from 6 to ${to} by others.`]);
});
