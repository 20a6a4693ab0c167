import { describe, expect, test } from 'vitest';
import { chanceFor } from '../../../simulation/chance.ts';
import { type Band, bandsText, ratcheted, verdictOn } from './bands.ts';
import { type Batch, judged, JUDGED_FROM, measured, recorded } from './batch.ts';
import { MEASURES } from './measures.ts';
import type { RunQuality } from './observe.ts';

/** Runs that differ by chance, and whose figures are so many times as large as usual. */
function runs(seeds: number, stream: string, worse = 1): readonly RunQuality[] {
  const chance = chanceFor(seeds, stream);
  return Array.from({ length: seeds }, (): RunQuality => {
    const neededHours = chance.within({ min: 5, max: 60 });
    const launched = chance.within({ min: 0, max: 40 });
    return {
      neededHours,
      usedHours: neededHours * (1 + worse * (0.2 + 0.3 * chance.next())),
      launched,
      removedEarly: Math.floor(launched * 0.4 * chance.next() * worse),
      evicted: Math.floor(chance.next() * 20 * worse),
      podHours: 10 + 30 * chance.next(),
      waits: Array.from({ length: 1 + Math.floor(chance.next() * 30) }, () => 3 + worse * 80 * chance.next() ** 4),
    };
  });
}

const batchOf = (own: readonly RunQuality[], first = 1, more: Partial<Batch> = {}): Batch => ({
  provider: 'aws',
  first,
  seeds: own.length,
  isDrawn: false,
  runs: own.map((quality, i) => ({ pattern: i % 3 === 0 ? 'quiet' : 'rain', quality })),
  ...more,
});

const RECORDED = batchOf(runs(1_500, 'recorded'), 1_000_001);
const BANDS = recorded({}, RECORDED, 'better');
const judge = (batch: Batch) => judged(BANDS, batch, measured(batch));

describe('a measure over a batch', () => {
  test.each([
    ['capacity', (6 + 2 * 3) / (4 + 2 * 3)],
    ['removedEarly', 1_000 * ((1 + 2 * 2) / (7 + 2 * 3))],
    ['moved', 100 * ((9 + 2 * 1) / (20 + 2 * 5))],
    ['meanWait', (1 + 2 + 300 + 2 * 4) / 5],
  ])('%s is the ratio of the sums, with each run counted as often as the batch has it', (name, expected) => {
    const own: RunQuality[] = [
      { usedHours: 6, neededHours: 4, launched: 7, removedEarly: 1, evicted: 9, podHours: 20, waits: [1, 2, 930] },
      { usedHours: 3, neededHours: 3, launched: 3, removedEarly: 2, evicted: 1, podHours: 5, waits: [4] },
    ];
    const { over } = MEASURES.find((one) => one.name === name)!;
    expect(over(own)([1, 2])).toBeCloseTo(expected, 10);
  });

  test('p95Wait is the wait that a pod in twenty exceeds', () => {
    const [own] = runs(1, 'waits');
    const waits = Array.from({ length: 40 }, (_, i) => (i * 17) % 40);
    const { over } = MEASURES.find((one) => one.name === 'p95Wait')!;
    expect(over([{ ...own!, waits }])([1])).toBe(37);
    expect(
      over([
        { ...own!, waits },
        { ...own!, waits: [500, 600, 700] },
      ])([1, 0]),
    ).toBe(37);
  });
});

describe('a band', () => {
  const band: Band = { low: 1.31, high: 1.36, first: 1, seeds: 600 };

  test.each([
    [{ low: 1.361, high: 1.4 }, 'worse'],
    [{ low: 1.359, high: 1.4 }, 'within'],
    [{ low: 1.2, high: 1.5 }, 'within'],
    [{ low: 1.25, high: 1.311 }, 'within'],
    [{ low: 1.25, high: 1.309 }, 'better'],
  ] as const)('judges the interval %o as %s', (interval, verdict) => {
    expect(verdictOn(interval, band)).toBe(verdict);
  });

  test('is replaced by a better one only, unless all bands are recorded', () => {
    const better = { ...band, low: 1.1, high: 1.2 };
    const luckier = { ...band, low: 1.3, high: 1.35 };
    const worse = { ...band, low: 1.4, high: 1.5 };
    expect(ratcheted(undefined, worse, 'better')).toBe(worse);
    expect(ratcheted(band, better, 'better')).toBe(better);
    expect(ratcheted(band, luckier, 'better')).toBe(band);
    expect(ratcheted(band, worse, 'better')).toBe(band);
    expect(ratcheted(band, worse, 'all')).toBe(worse);
  });

  test('is written on one line, and read as it was', () => {
    const text = bandsText(BANDS);
    expect(JSON.parse(text)).toEqual(BANDS);
    expect(
      text.match(/^ +"capacity": \{ "low": [\d.]+, "high": [\d.]+, "first": 1000001, "seeds": 1500 \},$/gm),
    ).toHaveLength(3);
  });
});

describe('a batch of runs', () => {
  test('like the recorded ones passes, in all parts', () => {
    const { lines, failures } = judge(batchOf(runs(600, 'others')));
    expect(failures).toEqual([]);
    expect(lines).toHaveLength(3 * MEASURES.length);
    expect(lines.every((line) => line.endsWith(': within'))).toBe(true);
  });

  test('fails by each measure that is worse', () => {
    const { failures } = judge(batchOf(runs(600, 'others', 1.5)));
    expect(failures.filter((failure) => failure.includes(': all, '))).toHaveLength(MEASURES.length);
  });

  test('fails by a part that is worse alone', () => {
    const [good, bad] = [runs(600, 'others'), runs(600, 'others', 1.5)];
    const mixed = batchOf(good.map((run, i) => (i % 3 === 0 ? bad[i]! : run)));
    const { failures } = judge(mixed);
    expect(failures).toContainEqual(expect.stringMatching(/^worse than the band, .*: quiet, capacity-hours/));
    expect(failures).not.toContainEqual(expect.stringContaining(': rain, '));
  });

  test('is measured and not judged if it is small, or has options drawn', () => {
    const small = judge(batchOf(runs(JUDGED_FROM - 1, 'others', 2)));
    const drawn = judge(batchOf(runs(600, 'others', 2), 1, { isDrawn: true }));
    expect([...small.failures, ...drawn.failures]).toEqual([]);
    expect(small.lines[0]).toMatch(
      /^quality \(all\): 1\.\d+, 95 % 1\.\d+ to 1\.\d+: capacity-.*; band [\d.]+ to [\d.]+$/,
    );
    expect(drawn.lines[0]).toMatch(/; no band$/);
  });

  test('is not judged by bands that were recorded on one of its seeds', () => {
    const { failures } = judge(batchOf(runs(600, 'others'), RECORDED.first + RECORDED.seeds - 1));
    expect(failures).toHaveLength(3 * MEASURES.length);
    expect(failures[0]).toBe(
      'the band was recorded on seeds of this batch (1500 from 1000001): all, capacity-hours used per capacity-hour needed',
    );
    expect(judge(batchOf(runs(600, 'others'), RECORDED.first + RECORDED.seeds)).failures).toEqual([]);
  });
});
