import { expect, test } from 'vitest';
import { expectAllGoneFrom, timeOf } from './all-gone.ts';
import { openCluster } from './cluster.ts';
import type { LogLine, Outrigger } from './servers/outrigger.ts';
import { SOON } from './soon.ts';

const NODES = 3;
/** In the night to 2027-03-28 clocks in Berlin go from 02:00 to 03:00, at 01:00Z. */
const FREEZE = '0 from 0 22 * * * for 8h in Europe/Berlin';
const CHANGE = Date.parse('2027-03-28T01:00:00Z');
const END = Date.parse('2027-03-28T04:00:00Z');

test('a disruption budget of 0 in Europe/Berlin holds across the clock change, and ends at its time there', async () => {
  const cluster = await openCluster('freeze');
  const [group] = await cluster.createGroups({ name: 'm5', desired: NODES });
  cluster.bridge(0);
  await cluster.untilNodes(NODES);
  const options = await cluster.optionsFile({ ...SOON, disruptionBudgets: FREEZE });
  /** Half an hour before: however long the process takes to start, it evaluates before that moment. */
  const start = (startsAt: string, leapsTo: string, name: string): Outrigger =>
    cluster.outriggerAt({ startsAt, leapsTo }, name, `--options=${options}`, '--schedule=1s', '--verbose');

  const across = start('2027-03-28T00:30:00Z', '2027-03-28T00:59:57Z', 'across');
  await across.untilLogged('that nodes are held before the change', (line) => isHeld(line) && timeOf(line) < CHANGE);
  across.leap();
  await across.untilLogged('that they are after it', (line) => isHeld(line) && timeOf(line) > CHANGE + 3_000);
  expect(await cluster.sizes()).toEqual({ [group!]: NODES });
  expect(JSON.stringify(across.logged())).toContain(
    'allows no node to be removed until 2027-03-28 06:00 Europe/Berlin',
  );
  expect(await across.stop()).toBe('0');

  const after = start('2027-03-28T03:30:00Z', '2027-03-28T03:59:57Z', 'after');
  await after.untilLogged('that nodes are held', (line) => isHeld(line) && timeOf(line) < END);
  after.leap();
  await expectAllGoneFrom(END, cluster, after);
});

/** Says that the budget keeps every node. */
const isHeld = (line: LogLine): boolean => {
  const stay = (line['unremovable'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  return stay.filter(({ reason }) => reason === 'DisruptionBudgetReached').length === NODES;
};
