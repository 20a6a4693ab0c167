import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { pod } from '../../builders.ts';
import { group, running, scenario, times } from '../../scenario-builders.ts';
import { AT_ONCE, BEFORE, workerNode } from '../scaledown/cluster.ts';
import { buffer, template } from './given.ts';

/** Two empty nodes of 4 CPU, and one on its way; buffers of pods of one CPU, and real pods that are like these. */
const given = (buffers: Readonly<Record<string, number>>, waiting = 0) =>
  scenario({
    groups: [
      group('web', {
        nodes: ['n1', 'n2'],
        target: 3,
        instances: [running('i-1', 'n1'), running('i-2', 'n2'), running('i-3', null)],
        options: { scaleDownUtilizationThreshold: 1 },
      }),
    ],
    nodes: [workerNode('n1'), workerNode('n2')],
    pods: times(waiting, (i) => pod(`p-${i}`, { requests: { cpu: '1' } })),
    objects: {
      podTemplates: [template('chunk', { cpu: '1' })],
      capacityBuffers: Object.entries(buffers).map(([name, replicas]) => buffer(name, { replicas })),
    },
    options: { ...AT_ONCE, capacityBuffers: true },
    state: BEFORE,
  });

const whyOf = (of: ReturnType<typeof given>) =>
  Object.fromEntries(evaluate(of).scaleDown.unremovable.map(({ node, message }) => [node, message]));

describe('a node on which room is held', () => {
  test('says for what', () => {
    expect(whyOf(given({ a: 1, b: 2 }))['n1']).toBe(
      'it holds headroom: 1 virtual pod of CapacityBuffer default/a, 2 virtual pods of CapacityBuffer default/b',
    );
  });

  test('names three, and says how many more there are', () => {
    expect(whyOf(given({ a: 1, b: 1, c: 1, d: 1 }))['n1']).toMatch(/default\/c, 1 more$/);
  });

  test('says where pods that wait have their place on it besides, which come first', () => {
    const why = whyOf(given({ a: 3 }, 3));
    expect(why['n1']).toBe(
      'pending pods fit on this node; it holds headroom: 1 virtual pod of CapacityBuffer default/a',
    );
    expect(why['n2']).toBe('it holds headroom: 2 virtual pods of CapacityBuffer default/a');
  });
});

test('how much of the room is on nodes on their way is told apart', () => {
  const headroom = (buffers: Readonly<Record<string, number>>) => evaluate(given(buffers)).scaleUp.headroom;
  expect(headroom({ a: 8 })).toEqual([
    { source: 'CapacityBuffer', name: 'default/a', wanted: 8, fits: 8, triggered: 0 },
  ]);
  expect(headroom({ a: 6, b: 7 })).toMatchObject([
    { name: 'default/a', wanted: 6, fits: 6, triggered: 0 },
    { name: 'default/b', wanted: 7, fits: 6, upcoming: 4, triggered: 1 },
  ]);
});
