import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Life } from '../../../simulation/recording/lives.ts';
import { nodeSeries, phasesOf, stepsOf } from '../../../cli/html/lives.ts';

const LIFE: Life = {
  group: 'web',
  node: 'node-1',
  instance: 'i-1',
  launched: 10,
  ready: 40,
  gone: 100,
  used: [{ from: 42, to: 60 }],
  unneeded: [{ from: 70, to: 95 }],
  leaving: [{ from: 90, to: 100 }],
  removal: { kind: 'empty', pods: 0 },
};

describe('the phases of a life', () => {
  test('come one after the other, and what ends a node goes before what it was used for', () => {
    expect(phasesOf(LIFE, 200)).toEqual([
      { state: 'booting', from: 10, to: 40 },
      { state: 'idle', from: 40, to: 42 },
      { state: 'used', from: 42, to: 60 },
      { state: 'idle', from: 60, to: 70 },
      { state: 'unneeded', from: 70, to: 90 },
      { state: 'leaving', from: 90, to: 100 },
    ]);
  });

  test('of an instance that never became ready are its boot', () => {
    const life = { ...LIFE, ready: null, gone: null, used: [], unneeded: [], leaving: [] };
    expect(phasesOf(life, 50)).toEqual([{ state: 'booting', from: 10, to: 50 }]);
  });

  test('of a node of the start begin there, and last until the end', () => {
    const life = { ...LIFE, launched: null, ready: 0, gone: null, used: [], unneeded: [], leaving: [] };
    expect(phasesOf(life, 50)).toEqual([{ state: 'idle', from: 0, to: 50 }]);
  });

  test('leave no gap and do not overlap, whatever happened when', () => {
    const END = 100;
    const stretch = fc
      .tuple(fc.nat(END), fc.nat(END))
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
    fc.assert(
      fc.property(
        fc.array(stretch),
        fc.array(stretch),
        fc.array(stretch),
        fc.nat(END - 1),
        (used, unneeded, leaving, launched) => {
          const within = (all: typeof used) => all.filter(({ from }) => from >= launched);
          const phases = phasesOf(
            {
              ...LIFE,
              launched,
              ready: null,
              gone: null,
              used: within(used),
              unneeded: within(unneeded),
              leaving: within(leaving),
            },
            END,
          );
          expect(phases[0]?.from).toBe(launched);
          expect(phases.at(-1)?.to).toBe(END);
          for (const [index, { from }] of phases.slice(1).entries()) {
            expect(from).toBe(phases[index]!.to);
          }
        },
      ),
    );
  });
});

test('the states of all nodes at a time add up to the nodes that are there', () => {
  const lives = [
    LIFE,
    { ...LIFE, launched: null, ready: 0, gone: null },
    { ...LIFE, launched: 35, gone: 42, ready: null },
  ];
  const series = nodeSeries(
    lives.map((life) => ({ phases: phasesOf(life, 200) })),
    200,
  );
  const valueAt = (points: readonly (readonly [number, number])[], at: number): number =>
    points.findLast(([x]) => x <= at)?.[1] ?? 0;
  for (let at = 0; at < 200; at += 1) {
    const alive = lives.filter(({ launched, gone }) => (launched ?? 0) <= at && (gone ?? Infinity) > at).length;
    expect([at, series.reduce((sum, { points }) => sum + valueAt(points, at), 0)]).toEqual([at, alive]);
  }
});

describe('steps', () => {
  test('have one point for a time, and one for the end', () => {
    const changes = [
      { at: 5, by: 1 },
      { at: 5, by: 2 },
      { at: 8, by: -3 },
    ];
    expect(stepsOf(changes, 10)).toEqual([
      [0, 0],
      [5, 3],
      [8, 0],
      [10, 0],
    ]);
  });

  test('of prices do not drift', () => {
    const changes = Array.from({ length: 1_000 }, (_, at) => ({ at, by: at % 2 === 0 ? 0.1 : -0.1 }));
    expect(stepsOf(changes, 1_000).at(-1)).toEqual([1_000, 0]);
  });
});
