import { describe, expect, it, test } from 'vitest';
import { backtest } from '../../../cli/backtest/backtest.ts';
import { writeBacktest } from '../../../cli/backtest/document.ts';
import { minutes } from '../../../core/model/values/time.ts';
import type { ReplaySettings } from '../../../cli/replay/settings.ts';
import { node, pod } from '../../builders.ts';
import { group, times } from '../../scenario-builders.ts';
import { minute, periodOf, seenAt } from '../history/minutes.ts';

const ANY = { type: null, zone: null, capacityType: null, covered: null };
const quiet = { name: 'shop', onTime: () => {} };
describe('an interruption', () => {
  const web = pod('web-1', { node: 'n1', owner: 'ReplicaSet/web', requests: { cpu: 3 }, createdAt: minute(-60) });
  const seen = (at: number, on: string, nodes: readonly string[]) =>
    seenAt(at, {
      groups: [group('web', { nodes, min: 1 })],
      nodes: nodes.map((name) => node(name, { cpu: 4, memory: '16Gi' }, { createdAt: minute(at) })),
      pods: [{ ...web, uid: on, nodeName: node(on).name }],
    });

  it('that the history shows takes a node in each run, which its group replaces', async () => {
    const period = await periodOf(seen(0, 'n1', ['n1']), seen(10, 'n2', ['n2']), seen(40, 'n2', ['n2']));
    const { played, history, base } = await backtest(period, { ...quiet, seed: 1, settings: {}, peer: null });
    expect(played.interruptions).toBe(1);
    expect([history, base].map(({ figures }) => [figures.nodesLaunched, figures.nodesGone])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });
});

describe('USD', () => {
  const seen = (at: number) =>
    seenAt(at, {
      groups: [{ ...group('web', { nodes: ['n1', 'n2'], min: 2 }), price: 0.2 }],
      nodes: ['n1', 'n2'].map((name) => node(name, { cpu: 4, memory: '16Gi' })),
      pods: [pod('web', { node: 'n1', owner: 'ReplicaSet/web', createdAt: minute(-60) })],
      options: { prices: [{ ...ANY, price: 0.05 }] },
    });
  const usdWith = async (settings: ReplaySettings) => {
    const period = await periodOf(seen(0), seen(60));
    const { history, base, other, groups } = await backtest(period, { ...quiet, seed: 1, settings, peer: null });
    return { usd: [history, base, other].map((run) => run?.figures.usd), price: groups[0]!.price };
  };

  it('are by the prices that the options of each run state', async () => {
    const settings = { prices: [{ ...ANY, price: 0.1, covered: 1 }] };
    expect(await usdWith(settings)).toEqual({ usd: [0.1, 0.1, 0.3], price: 0.05 });
    expect(await usdWith({ prices: [] })).toEqual({ usd: [0.1, 0.1, 0.4], price: 0.05 });
  });
});

test('planned placement is played where the option of a run is on', async () => {
  const pods = (name: string, requests: { cpu: string; memory: string }) =>
    times(40, (i) => pod(`${name}-${i}`, { requests, owner: `ReplicaSet/${name}`, createdAt: minute(1) }));
  const priced = (name: string, price: number, memory: string) => ({
    ...group(name, { max: 50, node: { cpu: '7910m', memory, pods: 58 } }),
    price,
  });
  const groups = [priced('compute', 0.34, '14721Mi'), priced('memory', 0.504, '61012Mi')];
  const all = [
    ...pods('busy', { cpu: '1870m', memory: '1531Mi' }),
    ...pods('large', { cpu: '390m', memory: '7177Mi' }),
  ];
  const played = async (own: boolean, settings: ReplaySettings) => {
    const options = { plannedPlacement: own, expander: ['price'] as const };
    const period = await periodOf(seenAt(0, { groups, options }), seenAt(60, { groups, pods: all, options }));
    const { base, other } = await backtest(period, { ...quiet, seed: 1, settings, peer: null });
    return [base, other].map((run) => run?.figures.usd ?? 0);
  };
  const [planned, usual] = await played(true, { plannedPlacement: false });
  // Nodes of two types are mixed for pods that come to the nodes that the plan has for them.
  expect(planned! / usual!).toBeLessThan(0.95);
  expect(await played(false, { plannedPlacement: true })).toEqual([usual, planned]);
});

test('nodes of the start do not await pods', async () => {
  const seen = (at: number) =>
    seenAt(at, {
      groups: [group('web', { nodes: ['n1'], min: 1 })],
      nodes: [node('n1', { cpu: 4, memory: '16Gi' })],
      pods: [pod('web', { node: 'n1', owner: 'ReplicaSet/web', createdAt: minute(-60) })],
      options: { plannedPlacement: true },
    });
  const { base } = await backtest(await periodOf(seen(0), seen(60)), { ...quiet, seed: 1, settings: {}, peer: null });
  expect(base.figures.waited).toBe(0);
});

test('notes say what the figures do not show', async () => {
  const claims = [{ kind: 'claim' as const, name: 'data', claimName: 'data', readOnly: false }];
  const seen = (at: number, options: Parameters<typeof seenAt>[1]['options'] = {}) => ({
    ...seenAt(at, {
      groups: [
        group('web', { nodes: ['n1'] }),
        group('large', { node: { cpu: 8 } }),
        group('none', { template: null }),
      ],
      nodes: [node('n1', { cpu: 4, memory: '16Gi' }), node('other', { cpu: 2, memory: '8Gi' })],
      pods: [
        pod('db-0', {
          node: 'n1',
          owner: 'StatefulSet/db',
          requests: { cpu: 3 },
          spec: { volumes: claims },
          createdAt: minute(0),
        }),
      ],
      options,
    }),
    isMadeAgain: true as const,
  });
  const period = await periodOf(seen(0), seen(90, { scaleDownUnneededTime: minutes(2) }));
  const played = await backtest(period, { ...quiet, seed: 1, settings: {}, peer: null });
  const source = { cluster: null, mode: 'observe' as const, wanted: period, settings: {}, peer: null };
  const { notes, history } = writeBacktest(played, source);
  expect(history).toMatchObject({ usd: null, evictions: null, lostCoreHours: null });
  expect(notes).toEqual([
    expect.stringMatching(/^Pods that began and ended between two kept decisions are unknown.*1h30m/),
    expect.stringMatching(/^Files have no decisions/),
    expect.stringMatching(/^Outrigger observed/),
    expect.stringMatching(/^The options changed 1 time /),
    expect.stringMatching(/^Node groups have nodes of different sizes/),
    'Never removed in a run, and in no figure: 1 node in no node group.',
    'Nothing shows the nodes of none: not simulated.',
    'USD is without large, web, whose price is unknown.',
    'Not simulated: the disks, claimed devices, scheduling gates or PodGroups of 1 pod.',
  ]);
});
