import { describe, expect, test } from 'vitest';
import { nodeResourcesFitScore } from '../../../../simulation/cluster/scoring/NodeResourcesFit.ts';
import { container, node, pod } from '../../../builders.ts';
import { scoresOf } from './scores.ts';
import { type Row, score } from './resource-scores.ts';

/** The figures are those of kube-scheduler's least_allocated_test.go. */
describe('NodeResourcesFit scores what stays free', () => {
  test.each<Row>([
    {
      what: 'nothing there, stand-ins asked for',
      requests: {},
      nodes: { a: { cpu: 4, memory: 10_000_000_000 }, b: { cpu: 4, memory: 10_000_000_000 } },
      expected: { a: 97, b: 97 },
    },
    {
      what: 'nothing there, nodes of different sizes',
      requests: { cpu: 3, memory: 5_000 },
      nodes: { a: { cpu: 4, memory: 10_000 }, b: { cpu: 6, memory: 10_000 } },
      expected: { a: 37, b: 50 },
    },
    {
      what: 'pods that are there count',
      requests: { cpu: 3, memory: 5_000 },
      nodes: { a: { cpu: 10, memory: 20_000 }, b: { cpu: 10, memory: 20_000 } },
      bound: { a: [{ cpu: 3, memory: 1 }], b: [{ cpu: 3, memory: 5_000 }] },
      expected: { a: 57, b: 45 },
    },
    {
      what: 'more than there is',
      requests: { cpu: 3, memory: 5_000 },
      nodes: { a: { cpu: 2, memory: 10_000 } },
      expected: { a: 25 },
    },
    {
      what: 'a node without memory is measured by its CPU',
      requests: { cpu: 1, memory: 0 },
      nodes: { a: { cpu: 4 } },
      expected: { a: 75 },
    },
  ])('$what', (row) => {
    expect(score(nodeResourcesFitScore, row)).toEqual(row.expected);
  });

  test('containers that name no requests are taken for 100m and 200 MiB each, those that are there too', () => {
    const silent = { spec: { containers: [container(), container()] } };
    const room = { cpu: 1, memory: 2_000 * 2 ** 20 };
    const scores = scoresOf(nodeResourcesFitScore, pod('p', silent), [node('a', room), node('b', room)], {
      a: [pod('q', silent)],
    });
    expect(scores).toEqual({ a: 60, b: 80 });
  });
});
