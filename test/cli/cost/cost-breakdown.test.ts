import { describe, expect, it, test } from 'vitest';
import type { CostKey } from '../../../cli/cost/cost-key.ts';
import { costBreakdownOf } from '../../../cli/cost/cost-breakdown.ts';
import { node, pod } from '../../builders.ts';
import { group, times } from '../../scenario-builders.ts';
import { playedShop } from '../backtest/histories.ts';
import { minute, periodOf, seenAt } from '../history/minutes.ts';

const BY_NAMESPACE: CostKey = { of: 'namespace' };
/** For an hour, in a group of 2 USD per hour. */
const half = node('n1', { cpu: 4, memory: '16Gi' });
const groups = [{ ...group('a', { nodes: ['n1'] }), price: 2 }];
const web = (name: string, more: Parameters<typeof pod>[1] = {}) =>
  pod(name, { node: 'n1', requests: { cpu: 1, memory: '4Gi' }, createdAt: minute(-30), ...more });

describe('the cost of a node', () => {
  it('is divided by what its pods request, and the rest is idle', async () => {
    const pods = [web('a'), web('b', { namespace: 'shop', requests: { cpu: 2, memory: '8Gi' } })];
    const seen = [0, 60].map((at) => seenAt(at, { nodes: [half], groups, pods }));
    const { usd, idle, rows, nodeHours, unpricedHours } = costBreakdownOf(await periodOf(...seen), BY_NAMESPACE);
    expect({ usd, idle, nodeHours, unpricedHours }).toEqual({ usd: 2, idle: 0.5, nodeHours: 1, unpricedHours: 0 });
    expect(rows).toEqual([
      { name: 'shop', usd: 1, idle: 0 },
      { name: 'default', usd: 0.5, idle: 0 },
    ]);
  });

  it('counts for a pod only while the pod is there', async () => {
    const leaving = web('a', { deletedAt: minute(15) });
    const period = await periodOf(
      seenAt(0, { nodes: [half], groups, pods: [web('a')] }),
      seenAt(30, { nodes: [half], groups, pods: [leaving] }),
      seenAt(60, { nodes: [half], groups }),
    );
    expect(costBreakdownOf(period, BY_NAMESPACE).rows).toEqual([
      { name: 'default', usd: expect.closeTo(0.125, 9), idle: 0 },
    ]);
  });

  it('is never divided twice, though ends of pods are estimates', async () => {
    const full = (name: string) => web(name, { requests: { cpu: 4, memory: '16Gi' } });
    const seen = [0, 60].map((at) => seenAt(at, { nodes: [half], groups, pods: [full('a'), full('b')] }));
    const { usd, idle, rows } = costBreakdownOf(await periodOf(...seen), BY_NAMESPACE);
    expect([usd, idle, rows[0]?.usd]).toEqual([2, 0, 2]);
  });

  it.each([
    { prices: [2, 4, 8], usd: 3, what: 'the mean of a price that changes' },
    { prices: [null, 4, null], usd: 4, what: 'the known price where some decisions have none' },
  ])('goes by $what', async ({ prices, usd }) => {
    const seen = prices.map((price, i) =>
      seenAt(i * 30, { nodes: [half], groups: [{ ...group('a', { nodes: ['n1'] }), price }] }),
    );
    expect(costBreakdownOf(await periodOf(...seen), BY_NAMESPACE)).toMatchObject({
      usd,
      nodeHours: 1,
      unpricedHours: 0,
    });
  });

  it.each([
    { price: { price: 0.5, covered: null }, usd: 2, what: 'for all nodes' },
    { price: { price: 0.5, covered: 2 }, usd: 5, what: 'for the first nodes, the others at their own' },
  ])('goes by prices that the options state $what', async ({ price, usd }) => {
    const names = times(4, (i) => `n${i}`);
    const four = { ...group('a', { nodes: names }), price: 2 };
    const nodes = names.map((name) => node(name, { cpu: 4, memory: '16Gi' }));
    const options = { prices: [{ type: null, zone: null, capacityType: null, ...price }] };
    // Without nodes, the price of the next one counts for no hours.
    const seen = [
      seenAt(0, { nodes, groups: [four], options }),
      seenAt(60, { groups: [{ ...four, nodes: [], instances: [], targetSize: 0 }], options }),
      seenAt(300, { groups: [{ ...four, nodes: [], instances: [], targetSize: 0 }], options }),
    ];
    const period = await periodOf(...seen);
    const { usd: sum, nodeHours } = costBreakdownOf(period, BY_NAMESPACE);
    expect(sum / nodeHours).toBeCloseTo(usd / 4, 5);
  });

  it('is not negative where the clock of the API server is ahead', async () => {
    const nodes = [node('n1', { cpu: 4, memory: '16Gi' }, { createdAt: minute(31) })];
    const period = await periodOf(seenAt(0, { groups }), seenAt(30, { nodes, groups }));
    expect(costBreakdownOf(period, BY_NAMESPACE)).toMatchObject({ usd: 0, nodeHours: 0 });
  });

  it('counts for the group that takes over the node', async () => {
    const seen = [[], groups].map((of, i) => seenAt(i * 60, { nodes: [half], groups: of }));
    expect(costBreakdownOf(await periodOf(...seen), { of: 'node-group' }).rows).toEqual([
      { name: 'a', usd: 2, idle: 2 },
    ]);
  });

  it('is in no figure without a price, but its hours are said', async () => {
    const seen = [0, 60].map((at) => seenAt(at, { nodes: [half], groups: [group('a', { nodes: ['n1'] })] }));
    expect(costBreakdownOf(await periodOf(...seen), BY_NAMESPACE)).toEqual({
      usd: 0,
      idle: 0,
      rows: [],
      nodeHours: 0,
      unpricedHours: 1,
    });
  });
});

test.each<CostKey>([{ of: 'namespace' }, { of: 'label', label: 'app' }, { of: 'node' }, { of: 'node-group' }])(
  'rows of %o add up to the whole cost of a simulated shop',
  async (key) => {
    const { period, recording } = await playedShop(11, 2);
    const { usd, idle, rows } = costBreakdownOf(period, key);
    const sum = rows.reduce((total, row) => total + row.usd, 0);
    const ofNodes = key.of === 'node' || key.of === 'node-group';
    expect(sum + (ofNodes ? 0 : idle)).toBeCloseTo(usd, 9);
    // As the simulation has it, but for what came after the last decision and boots.
    expect(usd / recording.summary.cost!).toBeGreaterThan(0.9);
    expect(usd / recording.summary.cost!).toBeLessThan(1.02);
    expect(idle).toBeGreaterThan(0);
  },
);
