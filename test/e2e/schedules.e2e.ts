import { expect, test } from 'vitest';
import { expectAllGoneFrom, timeOf } from './all-gone.ts';
import { openCluster } from './cluster.ts';
import type { LogLine } from './servers/outrigger.ts';
import { SOON } from './soon.ts';

/** 9:00 to 19:00 on workdays in a time zone half an hour off the others: 03:30Z to 13:30Z. 2027-01-14 is a Thursday. */
const SCHEDULE = '2 from 0 9 * * 1-5 for 10h in Asia/Kolkata';
const AHEAD = Date.parse('2027-01-14T03:28:00Z');
const BEGIN = Date.parse('2027-01-14T03:30:00Z');
const END = Date.parse('2027-01-14T13:30:00Z');
const UNTIL = '2027-01-14 19:00 Asia/Kolkata';

test('a schedule in Asia/Kolkata buys its nodes ahead, with no pod waiting, keeps them to its end, and then they go', async () => {
  const cluster = await openCluster('schedules');
  const [group] = await cluster.createGroups({
    name: 'm5',
    tags: { 'k8s.io/cluster-autoscaler/node-template/autoscaling-options/capacityschedules': SCHEDULE },
  });
  cluster.bridge(0);
  const options = await cluster.optionsFile(SOON);
  /** Half an hour before: however long the process takes to start, it evaluates before that moment. */
  const start = (startsAt: string, leapsTo: string, name: string) =>
    cluster.outriggerAt({ startsAt, leapsTo }, name, `--options=${options}`, '--schedule=1s', '--verbose');

  const opens = start('2027-01-14T02:58:00Z', '2027-01-14T03:27:57Z', 'opens');
  await opens.untilLogged(
    'an evaluation before the window',
    (line) => line['result'] !== undefined && timeOf(line) < AHEAD,
  );
  expect(await cluster.sizes()).toEqual({ [group!]: 0 });
  opens.leap();
  await cluster.untilNodes(2);
  const bought = opens.logged().filter((line) => ((line['repairs'] ?? []) as readonly unknown[]).length > 0);
  expect(bought[0]?.['repairs']).toMatchObject([{ kind: 'IncreaseToMin', group, from: 0, to: 2 }]);
  expect(timeOf(bought[0]!)).toBeGreaterThanOrEqual(AHEAD);
  expect(timeOf(bought[0]!)).toBeLessThan(BEGIN);
  expect(await opens.stop()).toBe('0');

  const closes = start('2027-01-14T13:00:00Z', '2027-01-14T13:29:57Z', 'closes');
  await closes.untilLogged('that the nodes are kept', (line) => isKept(line) && timeOf(line) < END);
  expect(await cluster.sizes()).toEqual({ [group!]: 2 });
  closes.leap();
  await expectAllGoneFrom(END, cluster, closes);
});

/** Says of both nodes that the schedule keeps them, and how long. */
const isKept = (line: LogLine): boolean => {
  const stay = (line['unremovable'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  return (
    stay.filter(
      ({ reason, message }) =>
        reason === 'NodeGroupMinSizeReached' && String(message).includes(`${SCHEDULE}" until ${UNTIL}`),
    ).length === 2
  );
};
