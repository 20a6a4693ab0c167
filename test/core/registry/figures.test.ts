import { expect, test } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { figuresOf } from '../../../core/registry/figures.ts';
import { node } from '../../builders.ts';
import { group, NOW, scenario, times } from '../../scenario-builders.ts';

const figures = (given: Parameters<typeof scenario>[0]) => {
  const made = scenario(given);
  return figuresOf(made, evaluateScaleUp(made));
};
const backoff = (until: number) =>
  ({ until: epochMs(until), duration: minutes(30), lastFailure: NOW, class: 'Quota' }) as const;

test('are sums over the node groups, and each of them', () => {
  const groups = [
    { ...group('a', { nodes: ['a1'], min: 1, max: 5, target: 3 }), price: 0.2 },
    { ...group('b', { nodes: ['b1'], max: 7 }), price: 0.5 },
  ];
  const nodes = ['a1', 'b1'].map((name) => node(name, { cpu: 4 }));
  expect(figures({ groups, objects: { nodes } })).toMatchObject({
    size: 4,
    minSize: 1,
    maxSize: 12,
    readyNodes: 2,
    costPerHour: 1.1,
    groups: [
      { group: 'a', size: 3, min: 1, max: 5 },
      { group: 'b', size: 1, min: 0, max: 7 },
    ],
  });
});

test('have the nodes that are on their way, by group where there are some', () => {
  const request = { group: groupName('a'), increase: 2, time: NOW, expectedAddTime: epochMs(NOW + minutes(15)) };
  const { upcomingNodes, groups } = figures({
    groups: [group('a', { nodes: ['a1'], target: 3 }), group('b', { nodes: ['b1'] })],
    objects: { nodes: ['a1', 'b1'].map((name) => node(name, { cpu: 4 })) },
    state: { scaleUpRequests: [request] },
  });
  expect([upcomingNodes, groups.map(({ upcoming }) => upcoming)]).toEqual([2, [2, undefined]]);
});

test('have no cost where no price is known', () => {
  expect(figures({ groups: [group('a')] }).costPerHour).toBeNull();
});

test('have unneeded nodes, and node groups in backoff by what has failed', () => {
  const state = {
    ...EMPTY_STATE,
    unneededSince: { [nodeName('a1')]: NOW },
    backoff: { [groupName('a')]: backoff(NOW + minutes(5)), [groupName('b')]: backoff(NOW - 1) },
  };
  const { unneededNodes, failing } = figures({
    groups: [group('a', { nodes: ['a1'] }), group('b')],
    objects: { nodes: [node('a1', { cpu: 4 })] },
    state,
  });
  expect({ unneededNodes, failing }).toEqual({ unneededNodes: 1, failing: { Quota: 1 } });
});

test('name 200 node groups at most: a line of the log is bounded', () => {
  const { groups, maxSize } = figures({ groups: times(250, (i) => group(`g${String(i).padStart(3, '0')}`)) });
  expect([groups.length, maxSize]).toEqual([200, 2_500]);
});
