import { describe, expect, test } from 'vitest';
import { leastCost } from '../../../core/nodegroups/least-cost.ts';
import { evaluate } from '../../../core/evaluate.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import { node, pod } from '../../builders.ts';
import { group, scenario, times } from '../../scenario-builders.ts';

const SMALL = { ...group('small'), price: 0.2 };
const LARGE = { ...group('large', { node: { cpu: 16, memory: '64Gi' } }), price: 0.64 };
const least = (groups: readonly NodeGroup[], pods: readonly Pod[]) => leastCost(scenario({ groups }), pods);

describe('the nodes for pods cost at least', () => {
  test.each([
    ['nothing where there are none', [SMALL], [], 0],
    ['the share of a node that they ask for', [SMALL], times(6, (i) => pod(`p${i}`, { requests: { cpu: 1 } })), 0.3],
    [
      'what the resource costs that they ask most for',
      [SMALL],
      [pod('p', { requests: { cpu: 1, memory: '8Gi' } })],
      0.1,
    ],
    ['the share of the group whose nodes cost least', [SMALL, LARGE], [pod('p', { requests: { cpu: 4 } })], 0.16],
    ['the share of one that has room for them', [SMALL, LARGE], [pod('p', { requests: { cpu: 8 } })], 0.32],
    ['nothing for those that no group has room for', [SMALL], [pod('p', { requests: { cpu: 8 } })], 0],
  ])('%s', (_, groups, pods, cost) => {
    expect(least(groups, pods)).toBeCloseTo(cost, 9);
  });

  test('the share of a group that has the labels that they ask for, and taints that they bear', () => {
    const cheap = { ...LARGE, price: 0.01 };
    const tainted = { ...group('tainted', { taints: [{ key: 'gpu', value: '', effect: 'NoSchedule' }] }), price: 0.01 };
    const labeled = { ...group('labeled', { labels: { disk: 'ssd' } }), price: 0.4 };
    const wants = pod('p', { requests: { cpu: 1 }, spec: { nodeSelector: { disk: 'ssd' } } });
    expect(least([cheap, labeled], [wants])).toBeCloseTo(0.1, 9);
    expect(least([SMALL, tainted], [pod('p', { requests: { cpu: 1 } })])).toBeCloseTo(0.05, 9);
  });

  test('what is not known where no group has a price', () => {
    expect(least([group('free')], [pod('p', { requests: { cpu: 1 } })])).toBeNull();
  });

  test('what a group without a price costs by the others', () => {
    const pods = [pod('p', { requests: { cpu: 8 } })];
    const large = { ...LARGE, price: null };
    expect(least([SMALL, large], pods)).toBeCloseTo((8 / 16) * 0.2 * 4, 9);
  });

  test('no more than a plan for them costs, and no more than its own bound', () => {
    const pods = times(23, (i) => pod(`p${i}`, { requests: { cpu: 1 + (i % 3), memory: `${1 + (i % 5)}Gi` } }));
    const given = scenario({ groups: [SMALL, LARGE], nodes: [node('other', { cpu: 0 })], pods });
    const { plan } = evaluate(given).scaleUp;
    expect(plan!.basis).toBe('price');
    expect(leastCost(given, pods)).toBeGreaterThan(0);
    expect(leastCost(given, pods)).toBeLessThanOrEqual(plan!.cost);
    expect(leastCost(given, pods)).toBeCloseTo(plan!.bound!, 3);
  });
});
