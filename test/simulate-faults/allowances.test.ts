import { expect, test } from 'vitest';
import { groupName } from '../../core/model/values/names.ts';
import { type EpochMs, epochMs } from '../../core/model/values/time.ts';
import { type Allowances, createAllowances } from './allowances.ts';

const BLUE = { name: 'blue', groups: [groupName('blue-1')], units: 4 };
const RED = { ...BLUE, name: 'red' };

interface Step {
  readonly at: number;
  readonly do: (allowances: Allowances) => boolean | void;
}

/** What `take` answered. */
function taken(steps: readonly Step[]): readonly boolean[] {
  let now: EpochMs = epochMs(0);
  const allowances = createAllowances(() => now);
  return steps.flatMap(({ at, do: act }) => {
    now = epochMs(at);
    const answer = act(allowances);
    return answer === undefined ? [] : answer;
  });
}

const allow = (at: number, nodes: number, from?: number): Step => ({
  at,
  do: (on) => on.allow(BLUE, nodes, from === undefined ? undefined : epochMs(from)),
});
const goesOn = (at: number, nodes: number): Step => ({ at, do: (on) => on.goesOn('launches', BLUE, nodes) });
const take = (at: number, since: number, pool = BLUE): Step => ({
  at,
  do: (on) => on.take(pool, since, epochMs(since)),
});

test.each([
  { name: 'one loss excuses one node', steps: [allow(5, 1), take(9, 1), take(9, 1)], answers: [true, false] },
  { name: 'two losses excuse two', steps: [allow(5, 1), allow(6, 1), take(9, 1), take(9, 1)], answers: [true, true] },
  { name: 'nothing excuses a node of another pool', steps: [allow(5, 9), take(9, 1, RED)], answers: [false] },
  { name: 'what was over before excuses nothing', steps: [allow(5, 9), take(9, 6)], answers: [false] },
  {
    name: 'what began at a time excuses no node that was bought before that',
    steps: [allow(5, 9, 3), take(9, 2), take(9, 3)],
    answers: [false, true],
  },
  { name: 'what goes on excuses as long as it does', steps: [goesOn(1, 1), take(900, 800)], answers: [true] },
  { name: 'what went on is over', steps: [goesOn(1, 1), goesOn(5, 0), take(9, 6)], answers: [false] },
  {
    name: 'what grows is counted once',
    steps: [goesOn(1, 1), goesOn(2, 2), ...[3, 3, 3].map((at) => take(at, 1))],
    answers: [true, true, false],
  },
])('$name', ({ steps, answers }) => {
  expect(taken(steps)).toEqual(answers);
});
