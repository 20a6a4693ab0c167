import { describe, expect, test } from 'vitest';
import type { TimelineEntry } from '../../../simulation/recording/recording.ts';
import { fractionalBound } from './bound.ts';
import type { NodeShape, Wanted } from './demand.ts';
import { demandOf, jobCoreHours, shapesOf } from './demand.ts';
import { asJudged } from './judged.ts';
import { loadOf, loadsNamed, unknownLoad, withSteadyBoots } from './loads.ts';
import type { Measured } from './measure.ts';
import { movesIn } from './moves.ts';
import { repackingCost } from './repacking.ts';

const HOUR = 3_600;
/** Shapes of CPU alone: USD an hour is the price. */
const SMALL: NodeShape = { name: 'small', room: [4], price: 1 };
const LARGE: NodeShape = { name: 'large', room: [8], price: 1.5 };
const pod = (cpu: number, from: number, to: number): Wanted => ({ amounts: [cpu], from, to });

/** The figures that a comparison reads. */
const FIGURES = ['repacking', 'lostShare', 'evictions', 'removed', 'waitP95', 'consolidatedTwiceWithin1h'];

describe('the fractional bound', () => {
  test('is the demand at the price of the cheapest type, minute by minute', () => {
    const demand = [pod(4, 0, HOUR), pod(8, HOUR / 2, HOUR)];
    expect(fractionalBound(demand, [SMALL, LARGE], HOUR)).toBeCloseTo(4 * 0.1875 + (8 * 0.1875) / 2, 9);
  });

  test('is that of the dearest resource', () => {
    const shape: NodeShape = { name: 'one', room: [4, 10], price: 1 };
    const demand = [{ amounts: [1, 5], from: 0, to: HOUR }];
    expect(fractionalBound(demand, [shape], HOUR)).toBeCloseTo(0.5, 9);
  });

  test('counts a part of a minute as that part', () => {
    expect(fractionalBound([pod(4, 30, 90)], [SMALL], HOUR)).toBeCloseTo(60 / HOUR, 9);
  });
});

describe('repacking every ten minutes', () => {
  test('makes two half empty nodes one, and none before the next ten minutes', () => {
    // 3 and 3 cores on one large node; without one of them a small one is enough from the next packing on.
    const demand = [pod(3, 0, 2 * HOUR), pod(3, 0, HOUR + 60)];
    const { cost, nodeHours } = repackingCost(demand, [SMALL, LARGE], 2 * HOUR);
    // Both came after the first packing: each got the cheapest node that held it, until ten minutes had passed.
    expect(cost).toBeCloseTo(2 / 6 + 1.5 * 1 + 1 * (5 / 6), 9);
    expect(nodeHours).toBeCloseTo(2 / 6 + 1 + 5 / 6, 9);
  });

  test('never costs less than the bound', () => {
    const load = loadOf('web3-1', {});
    const end = 6 * HOUR;
    const demand = demandOf(load).filter(({ from }) => from < end);
    const shapes = shapesOf(load);
    expect(repackingCost(demand, shapes, end).cost).toBeGreaterThan(fractionalBound(demand, shapes, end));
  });
});

test('steady boots all take the middle of what the nodes of their group take', () => {
  const drawn = loadOf('web3-1', {});
  const { groups, steps } = withSteadyBoots(drawn);
  expect(groups.map(({ boot, ready }) => [boot, ready])).toEqual(
    groups.map(() => [
      { min: 35_000, max: 35_000 },
      { min: 4_500, max: 4_500 },
    ]),
  );
  expect(steps).toBe(drawn.steps);
});

describe('the web load', () => {
  test('of a seed is always the same, and of another seed another', () => {
    const names = ['web3-1', 'web3-1', 'web3-2'].map((name) => JSON.stringify(loadOf(name, {}).steps));
    expect(names[0]).toBe(names[1]);
    expect(names[0]).not.toBe(names[2]);
  });

  test('has the pods that its steps ask for', () => {
    const load = loadOf('web3-1', {});
    const jobs = load.steps.filter(({ kind }) => kind === 'job');
    expect(jobs.length).toBeGreaterThan(150);
    expect(jobCoreHours(load)).toBeGreaterThan(500);
    // At any time as many replicas as the last step says.
    const [at, alive] = [24 * HOUR, new Map<string, number>()];
    for (const step of load.steps.filter((one) => one.at <= at * 1_000)) {
      if (step.kind === 'deploy') {
        alive.set(`default/${step.workload.name}`, step.workload.pods);
      } else if (step.kind === 'scale') {
        alive.set(step.workload, step.pods);
      }
    }
    const deployed = [...alive.values()].reduce((sum, count) => sum + count, 0);
    const ofJobs = load.steps.flatMap((step) =>
      step.kind === 'job' && step.at <= at * 1_000 && step.at + step.workload.runsFor! > at * 1_000
        ? step.workload.pods
        : [],
    );
    const wanted = demandOf(load).filter(({ from, to }) => from <= at && to > at);
    expect(wanted).toHaveLength(deployed + ofJobs.reduce((sum, count) => sum + count, 0));
  });
});

describe('evictions', () => {
  const made = (name: string, at: number): TimelineEntry => ({
    kind: 'PodCreated',
    pod: `default/${name}` as never,
    workload: 'web',
    at,
  });
  const evicted = (name: string, at: number, node = 'full'): TimelineEntry => ({
    kind: 'PodEvicted',
    pod: `default/${name}` as never,
    workload: 'web',
    node: node as never,
    at,
  });
  const removed = (node: string, reason?: 'Underutilized' | 'Drifted'): TimelineEntry => ({
    kind: 'ScaleDown',
    result: 'Planned',
    message: null,
    unneeded: [],
    removals: [
      {
        node: node as never,
        group: 'g' as never,
        kind: 'drain',
        ...(reason !== undefined && { reason }),
        pods: [],
        destinations: [],
      },
    ],
    staying: [],
    at: 0,
  });
  /** Removed by consolidation, by ordinary scale-down, and for drift. */
  const REMOVALS = [removed('full', 'Underutilized'), removed('idle'), removed('old', 'Drifted')];

  test('count by what the node was removed for', () => {
    const timeline = [...REMOVALS, evicted('a', 1), evicted('b', 1), evicted('c', 2, 'idle'), evicted('d', 3, 'old')];
    expect(movesIn([...timeline, evicted('e', 4, 'other')]).evictions).toEqual({
      consolidation: 2,
      'scale-down': 1,
      drift: 1,
      unknown: 1,
    });
  });

  const cases: readonly (readonly [string, readonly TimelineEntry[], number, number])[] = [
    [
      'one that comes in place of an evicted one and is evicted',
      [made('a', 0), evicted('a', 1), made('b', 2), evicted('b', 60)],
      1,
      1,
    ],
    ['not after an hour', [made('a', 0), evicted('a', 1), made('b', 2), evicted('b', 3_602)], 0, 0],
    [
      'not another pod of the workload',
      [made('a', 0), made('b', 0), evicted('a', 1), made('c', 2), evicted('b', 60)],
      0,
      0,
    ],
    [
      'not by consolidation where one of both is ordinary',
      [made('a', 0), evicted('a', 1, 'idle'), made('b', 2), evicted('b', 60)],
      1,
      0,
    ],
    [
      'by consolidation though scale-down moved it in between',
      [made('a', 0), evicted('a', 1), made('b', 2), evicted('b', 60, 'idle'), made('c', 61), evicted('c', 99)],
      2,
      1,
    ],
  ];
  test.each(cases)('twice within an hour: %s', (_, timeline, twice, twiceByConsolidation) => {
    expect(movesIn([...REMOVALS, ...timeline])).toMatchObject({ twice, twiceByConsolidation });
  });
});

describe('settings that are judged', () => {
  const row = (load: string, setting: string, usd: number, more: Partial<Measured> = {}): Measured => ({
    ...(Object.fromEntries(FIGURES.map((name) => [name, 0])) as unknown as Measured),
    load,
    setting,
    usd,
    dearestGone: null,
    ...more,
  });

  test('are compared with the first, load by load', () => {
    const rows = [1, 2, 3, 4].flatMap((seed) => [
      row(`web3-${2 * seed}`, 'defaults', 100 * seed),
      row(`web3-${2 * seed}`, 'auto', 100 * seed * (0.8 + seed / 10), { evictions: 3 * seed, removed: 2 }),
    ]);
    const [, , , base = '', , auto = ''] = asJudged(rows).split('\n');
    expect(base).toContain('1.00 (1.00–1.00) ≤ 1.00');
    // 0.9, 1.0, 1.1 and 1.2 times as dear, and 1.5, 3, 4.5 and 6 evictions for each removal.
    expect(auto).toMatch(/1\.05 \(0\.90–1\.20\) ≤ 1\.20 .* 25 % .* 3\.75 \(\d\.\d\d–\d\.\d\d\) ≤ 6\.00/);
  });

  test('have a row for each family', () => {
    const rows = ['web3-2', 'cpu-2', 'web3-4'].map((load) => row(load, 'defaults', 1));
    expect(asJudged(rows).match(/│ (web3|cpu) +│ defaults +│ [12] /g)).toHaveLength(2);
  });

  test('say how long the dearest type was there, where a load begins with it', () => {
    const rows = [1, 2.5, 6].map((dearestGone, i) => row(`web-dear-${i}`, 'defaults', 1, { dearestGone }));
    const [, , , dear = '', , web = ''] = asJudged([...rows, row('web3-2', 'defaults', 1)]).split('\n');
    expect(dear).toMatch(/ 2\.50 \(\d\.\d\d–\d\.\d\d\) ≤ 6\.00 +│$/);
    expect(web).toMatch(/ – +│$/);
  });

  test('run on even seeds, and are chosen on odd ones', () => {
    expect(loadsNamed(['web3', 'cpu-5'], { seeds: 3, odd: false })).toEqual(['web3-2', 'web3-4', 'web3-6', 'cpu-5']);
    expect(loadsNamed(['cpu-dense'], { seeds: 2, odd: true })).toEqual(['cpu-dense-1', 'cpu-dense-3']);
  });
});

test('a week has a quiet weekend', () => {
  const load = loadOf('web7-2', {});
  const pods = [2, 5].map((day) =>
    demandOf(load).filter(({ from, to }) => from <= (day + 0.6) * 24 * HOUR && to > (day + 0.6) * 24 * HOUR),
  );
  expect(pods[1]!.length).toBeLessThan(0.6 * pods[0]!.length);
});

describe('the loads of a family', () => {
  test('differ by their seeds, and are the same for the same seed', () => {
    const steps = ['web3-batch-8', 'web3-batch-8', 'web3-batch-9'].map((name) =>
      JSON.stringify(loadOf(name, {}).steps),
    );
    expect(steps[1]).toBe(steps[0]);
    expect(steps[2]).not.toBe(steps[0]);
  });

  test('have names that are checked', () => {
    expect(['cpu3', 'web3-1', 'web3-large-12', 'cpu-4'].map(unknownLoad)).toEqual([null, null, null, null]);
    expect(unknownLoad('web3')).toMatch(/^expected one of cpu3, .* \(web3, web3-large, .*\), found web3$/);
    expect(unknownLoad('constructor-1')).not.toBeNull();
  });
});
