import { beforeAll, describe, expect, it, test } from 'vitest';
import { type Backtest, backtest } from '../../../cli/backtest/backtest.ts';
import { backtestDocument } from '../../../cli/backtest/document.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { cases } from '../../cases.ts';
import { node, pod } from '../../builders.ts';
import { group } from '../../scenario-builders.ts';
import { type PlayedHistory, playedShop } from './histories.ts';
import { minute, periodOf, seenAt } from './minutes.ts';

const quiet = { name: 'shop', onTime: () => {} };
const FAITHFUL = 0.03;

/** Seeds that no constant of the simulation was chosen on. */
const SEEDS = Array.from({ length: cases(3) }, (_, index) => 211 + index);

describe('the backtest of a shop that ran for six hours', () => {
  const shops: { readonly shop: PlayedHistory; readonly played: Backtest }[] = [];

  beforeAll(async () => {
    for (const seed of SEEDS) {
      const shop = await playedShop(seed, 6);
      const settings = { scaleDownUnneededTime: minutes(2), scaleDownDelayAfterAdd: minutes(2) };
      shops.push({ shop, played: await backtest(shop.period, { ...quiet, seed: seed + 1_000, settings }) });
    }
  }, cases(120_000));

  /** From the least to the largest. */
  const interval = (of: (one: (typeof shops)[number]) => number): readonly [number, number] => {
    const sorted = shops.map(of).toSorted((a, b) => a - b);
    console.log(`over ${sorted.length} seeds: ${sorted.map((value) => value.toFixed(4)).join(', ')}`);
    return [sorted[0]!, sorted.at(-1)!];
  };
  const within = ([least, most]: readonly [number, number]): boolean => least >= -FAITHFUL && most <= FAITHFUL;

  it('has the node-hours of the history, with its own options, within 3 %', () => {
    const differs = interval(({ played: { base, history } }) => base.figures.nodeHours / history.figures.nodeHours - 1);
    expect(differs).toSatisfy(within);
  });

  it('reads node-hours out of the history that were, within 3 %', () => {
    const differs = interval(({ shop: { recording, period }, played: { history } }) => {
      const share = (period.until - period.since) / 1_000 / recording.summary.seconds;
      return history.figures.nodeHours / (recording.summary.nodeHours * share) - 1;
    });
    expect(differs).toSatisfy(within);
  });

  it('reads the evictions and the lost work out of the history that were', () => {
    const found = shops.map(({ played: { history } }) => history.figures);
    const were = shops.map(({ shop }) => shop.recording.summary.evictions);
    const inAll = (counts: readonly (number | null)[]): number =>
      counts.reduce<number>((sum, count) => sum + count!, 0);
    // A pod that no scenario shows is missing.
    const share = inAll(found.map(({ evictions }) => evictions)) / inAll(were.map(({ pods }) => pods));
    expect(share).toBeGreaterThan(0.95);
    expect(share).toBeLessThanOrEqual(1);
    const ofJobs = inAll(found.map(({ evictionsOfJobs }) => evictionsOfJobs));
    expect(ofJobs).toBeLessThanOrEqual(inAll(were.map((one) => one.ofJobs)));
    expect(ofJobs).toBeGreaterThan(0);
    const differs = interval(({ shop, played: { history } }) =>
      Math.abs(history.figures.lostCoreHours! - shop.recording.summary.evictions.lostCoreHours),
    );
    expect(differs[1]).toBeLessThan(0.1);
  });

  it('has a median wait as the history, within ten seconds', () => {
    const differs = interval(({ played: { base, history } }) => base.figures.waits!.p50 - history.figures.waits!.p50);
    expect(differs.map(Math.abs).every((seconds) => seconds < 10)).toBe(true);
  });

  it('is cheaper where nodes are removed sooner', () => {
    const differs = interval(({ played: { base, other } }) => other!.figures.usd! / base.figures.usd! - 1);
    expect(differs[1]).toBeLessThan(-0.05);
  });

  it('is the same for the same seed', async () => {
    const { shop, played } = shops[0]!;
    const again = await backtest(shop.period, { ...quiet, seed: SEEDS[0]! + 1_000, settings: {} });
    expect(again.base).toEqual(played.base);
    expect(again.other).toBeNull();
  });
});

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
    const { played, history, base } = await backtest(period, { ...quiet, seed: 1, settings: {} });
    expect(played.interruptions).toBe(1);
    expect([history, base].map(({ figures }) => [figures.nodesLaunched, figures.nodesGone])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });
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
  const played = await backtest(period, { ...quiet, seed: 1, settings: {} });
  const source = { cluster: null, mode: 'observe' as const, wanted: null, settings: {} };
  const { notes, history } = backtestDocument(played, source);
  expect(history).toMatchObject({ usd: null, evictions: null, lostCoreHours: null });
  expect(notes).toEqual([
    expect.stringMatching(/^Pods that came and went between two kept decisions are unknown.*1h30m/),
    expect.stringMatching(/^Files have no decisions/),
    expect.stringMatching(/^Outrigger observed/),
    expect.stringMatching(/^The options changed 1 time /),
    expect.stringMatching(/^Node groups have nodes of different sizes/),
    'Never removed in a run, and in no figure: 1 node in no node group.',
    'Nothing shows the nodes of none: not simulated.',
    'USD is without web, large, whose price is unknown.',
    'Not simulated: the disks, claimed devices, scheduling gates or PodGroups of 1 pod.',
  ]);
});
