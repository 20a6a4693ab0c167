import { describe, expect, test } from 'vitest';
import { nodeResourcesBalancedAllocation } from '../../../../simulation/cluster/scoring/NodeResourcesBalancedAllocation.ts';
import { type Row, score } from './resource-scores.ts';

/** As kube-scheduler's balanced_allocation_test.go has it. */
describe('NodeResourcesBalancedAllocation scores how alike the shares are', () => {
  test.each<Row & { readonly improvement: Row['expected'] }>([
    {
      what: 'pods that ask for nothing do not care',
      requests: {},
      nodes: { a: { cpu: 4, memory: 10 } },
      expected: null,
      improvement: null,
    },
    {
      what: 'the halved difference of the shares',
      requests: { cpu: 3, memory: 5_000 },
      nodes: { a: { cpu: 4, memory: 10_000 }, b: { cpu: 6, memory: 10_000 } },
      expected: { a: 87, b: 100 },
      improvement: { a: 68, b: 75 },
    },
    {
      what: 'no share is more than all',
      requests: { cpu: 3, memory: 5_000 },
      nodes: { a: { cpu: 2, memory: 10_000 } },
      expected: { a: 75 },
      improvement: { a: 62 },
    },
    {
      what: 'one resource alone is always balanced',
      requests: { cpu: 1 },
      nodes: { a: { cpu: 4 } },
      expected: { a: 100 },
      improvement: { a: 75 },
    },
    {
      what: 'a pod that evens out what others take scores more since 1.36',
      requests: { cpu: 3 },
      nodes: { a: { cpu: 10, memory: 10_000 }, b: { cpu: 10, memory: 10_000 } },
      bound: { a: [{ memory: 3_000 }] },
      expected: { a: 100, b: 85 },
      improvement: { a: 82, b: 67 },
    },
  ])('$what', ({ improvement, ...row }) => {
    expect(score(nodeResourcesBalancedAllocation, row, 35)).toEqual(row.expected);
    expect(score(nodeResourcesBalancedAllocation, row, 36)).toEqual(improvement);
  });
});
