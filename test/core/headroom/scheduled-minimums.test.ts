import { describe, expect, test } from 'vitest';
import { evaluate, evaluateScaleUp } from '../../../core/evaluate.ts';
import type { CapacitySchedule } from '../../../core/model/capacity-schedule.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { AHEAD, changesWithin, withScheduledMinimums } from '../../../core/headroom/scheduled-minimums.ts';
import { parseCapacitySchedules } from '../../../providers/schema/capacity-schedules.ts';
import { group, type GroupGiven, scenario } from '../../scenario-builders.ts';
import { AT_ONCE, BEFORE, workerNode } from '../scaledown/cluster.ts';

/** From their short form. */
function schedules(text: string): readonly CapacitySchedule[] {
  const parsed = parseCapacitySchedules(text);
  if (!parsed.ok) {
    throw new Error(parsed.error);
  }
  return parsed.value;
}

const OFFICE = 'from 0 8 * * 1-5 for 10h in Europe/Berlin';

/** A group `web` of 4 cpu, 16 GiB nodes, all of them empty; by default on a Thursday at 10:00 in Berlin. */
function given(text: string, nodes: number, more: GroupGiven = {}, now = '2026-01-15T09:00:00Z'): Scenario {
  const names = Array.from({ length: nodes }, (_, i) => `n${i}`);
  const options = { ...more.options, capacitySchedules: schedules(text) };
  return {
    ...scenario({
      groups: [group('web', { nodes: names, ...more, options })],
      nodes: names.map((name) => workerNode(name)),
      options: AT_ONCE,
      state: BEFORE,
    }),
    now: epochMs(Date.parse(now)),
  };
}

const minimumIn = (one: Scenario) => withScheduledMinimums(one).nodeGroups[0]!.minSize;

describe('the minimum of a node group', () => {
  test.each<[string, GroupGiven, string, number]>([
    [`3 ${OFFICE}`, {}, '2026-01-15T09:00:00Z', 3],
    [`3 ${OFFICE}`, { min: 5 }, '2026-01-15T09:00:00Z', 5],
    [`30 ${OFFICE}`, { max: 8 }, '2026-01-15T09:00:00Z', 8],
    [`3 ${OFFICE}; 4 from @daily for 24h`, {}, '2026-01-15T09:00:00Z', 4],
    [`9 cpu ${OFFICE}`, {}, '2026-01-15T09:00:00Z', 3],
    [`8 cpu ${OFFICE}`, {}, '2026-01-15T09:00:00Z', 2],
    [`33Gi memory ${OFFICE}`, {}, '2026-01-15T09:00:00Z', 3],
    [`8 cpu ${OFFICE}`, { template: null }, '2026-01-15T09:00:00Z', 0],
    [`1 ${OFFICE}`, { max: 4, options: { zeroOrMaxNodeScaling: true } }, '2026-01-15T09:00:00Z', 4],
    // So early that nodes are ready when it begins, and to the moment it ends.
    [`3 ${OFFICE}`, {}, '2026-01-15T06:57:59Z', 0],
    [`3 ${OFFICE}`, {}, '2026-01-15T06:58:00Z', 3],
    [`3 ${OFFICE}`, {}, '2026-01-15T16:59:59Z', 3],
    [`3 ${OFFICE}`, {}, '2026-01-15T17:00:00Z', 0],
    // In summer an hour earlier, by UTC; and not on weekends.
    [`3 ${OFFICE}`, {}, '2026-07-15T05:58:00Z', 3],
    [`3 ${OFFICE}`, {}, '2026-07-15T16:00:00Z', 0],
    [`3 ${OFFICE}`, {}, '2026-01-17T09:00:00Z', 0],
  ])('by %j, with %j at %s is %i', (text, more, now, min) => {
    expect(minimumIn(given(text, 0, more, now))).toBe(min);
  });

  test('by the schedules of the cluster is that of groups without their own', () => {
    const base = given(`1 ${OFFICE}`, 0);
    const other = group('other');
    const both = {
      ...base,
      nodeGroups: [...base.nodeGroups, other],
      options: { ...base.options, capacitySchedules: schedules(`2 ${OFFICE}`) },
    };
    expect(withScheduledMinimums(both).nodeGroups.map(({ minSize }) => minSize)).toEqual([1, 2]);
  });

  test('by a time zone that the runtime does not know is kept up', () => {
    const base = given(`2 ${OFFICE}`, 0);
    const [one] = base.nodeGroups[0]!.options.capacitySchedules!;
    const odd = { ...one!, schedule: { ...one!.schedule, timeZone: 'Mars/Olympus' } };
    expect(minimumIn({ ...base, nodeGroups: [group('web', { options: { capacitySchedules: [odd] } })] })).toBe(2);
  });

  test('names the first of equal schedules, and none that asks for no node', () => {
    const minimums = (text: string, more?: GroupGiven) =>
      withScheduledMinimums(given(text, 0, more)).nodeGroups.map(({ scheduledMinimum }) => scheduledMinimum?.by);
    expect(minimums(`3 ${OFFICE}; 3 from @daily for 24h`)).toEqual([`3 ${OFFICE}`]);
    expect(minimums(`8 cpu ${OFFICE}`, { template: null })).toEqual([undefined]);
  });

  test('without schedules is what it is', () => {
    const base = given('', 2);
    expect(withScheduledMinimums(base)).toBe(base);
  });
});

describe('an evaluation', () => {
  test('adds what a schedule asks for, though no pod waits and no minimum is enforced', () => {
    const decision = evaluateScaleUp(given(`3 ${OFFICE}`, 1));
    expect(decision.registry.repairs).toEqual([{ kind: 'IncreaseToMin', group: 'web', from: 1, to: 3 }]);
    expect(decision.registry.groups[groupName('web')]?.scheduledMinimum).toEqual({
      nodes: 3,
      by: `3 ${OFFICE}`,
      until: '2026-01-15 18:00 Europe/Berlin',
    });
    expect(evaluateScaleUp(given(`3 ${OFFICE}`, 1, {}, '2026-01-15T20:00:00Z')).registry.repairs).toEqual([]);
  });

  test('raises to no more than the schedule, where minimums are not enforced', () => {
    const decision = evaluateScaleUp(given(`3 ${OFFICE}`, 1, { min: 6 }));
    expect(decision.registry.repairs).toEqual([{ kind: 'IncreaseToMin', group: 'web', from: 1, to: 3 }]);
  });

  test('keeps so many empty nodes, and says which schedule does', () => {
    const { scaleDown } = evaluate(given(`3 ${OFFICE}`, 5));
    expect(scaleDown.removals).toHaveLength(2);
    expect(scaleDown.unremovable.map(({ reason, message }) => `${reason}: ${message}`)).toEqual(
      Array.from(
        { length: 3 },
        () =>
          `NodeGroupMinSizeReached: node group web has a minimum of 3 (capacity schedule "3 ${OFFICE}" until 2026-01-15 18:00 Europe/Berlin), and other nodes of it are removed first`,
      ),
    );
  });

  test('lets all of them go when the schedule has ended', () => {
    expect(evaluate(given(`3 ${OFFICE}`, 5, {}, '2026-01-15T20:00:00Z')).scaleDown.removals).toHaveLength(5);
  });
});

test.each([
  ['2026-01-15T06:50:00Z', 7, false],
  ['2026-01-15T06:50:00Z', 8, true],
  ['2026-01-15T06:58:00Z', 5, false],
  ['2026-01-15T16:58:00Z', 5, false],
])('at %s a schedule begins within %i minutes, with the time that nodes take: %s', (now, within, begins) => {
  expect(AHEAD).toBe(minutes(2));
  expect(changesWithin(given(`3 ${OFFICE}`, 3, {}, now), minutes(within), 'ScaleUp')).toBe(begins);
});

test('one group of several is enough, with its first node', () => {
  const now = '2026-01-15T06:55:00Z';
  const one = given(`1 ${OFFICE}`, 0, {}, now);
  const both = { ...one, nodeGroups: [...one.nodeGroups, group('other')] };
  expect(changesWithin(both, minutes(5), 'ScaleUp')).toBe(true);
});

test.each([
  ['2026-01-15T16:54:00Z', 5, false],
  ['2026-01-15T16:55:00Z', 5, true],
  ['2026-01-15T16:59:59Z', 5, true],
  ['2026-01-15T17:00:00Z', 5, false],
  ['2026-01-15T06:55:00Z', 5, false],
])('at %s a schedule ends within %i minutes, so that scale-down is not idle: %s', (now, within, ends) => {
  expect(changesWithin(given(`3 ${OFFICE}`, 3, {}, now), minutes(within), 'ScaleDown')).toBe(ends);
});
