import { describe, expect, test } from 'vitest';
import { disruptionCost, evictionCost } from '../../../../core/disruption/cost-benefit/eviction-cost.ts';
import { workAtRisk, workTimeOf } from '../../../../core/disruption/cost-benefit/work-at-risk.ts';
import { isWorthDeleting, maxCostOf, moveCost } from '../../../../core/disruption/cost-benefit/savings.ts';
import { type DurationMs, minutes } from '../../../../core/model/values/time.ts';
import { node, pod, type PodOptions } from '../../../builders.ts';
import { NOW } from '../../../scenario-builders.ts';
import { ago } from '../../scaledown/cluster.ts';

const NODE = node('n', { cpu: 4, memory: '16Gi' });

const runs = (cpu: number, age: number, more: PodOptions = {}) => ({
  ...pod('p', { node: 'n', owner: 'ReplicaSet/web', requests: { cpu, memory: '1Gi' }, ...more }),
  phase: 'Running' as const,
  startedAt: ago(age),
});

describe('the cost of an eviction', () => {
  const deletion = (cost: string) => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } });
  const cases: readonly (readonly [string, PodOptions, number])[] = [
    ['ordinary', {}, 1],
    ['a deletion cost', deletion(String(2 ** 27)), 2],
    ['a negative deletion cost', deletion(String(-(2 ** 28))), -1],
    ['the greatest deletion cost', deletion('2147483647'), 17],
    ['what is no integer', deletion('1.5'), 1],
    ['a priority', { spec: { priority: 2 ** 25 } }, 2],
    ['a system priority', { spec: { priority: 2_000_000_000 } }, 61],
    ['both', { ...deletion(String(2 ** 27)), spec: { priority: -(2 ** 25) } }, 1],
  ];
  test.each(cases)('%s', (_, options, expected) => {
    expect(evictionCost(pod('p', options))).toBeCloseTo(Math.min(10, expected), 5);
  });

  test('of a node is that of its pods, and one more', () => {
    expect(disruptionCost([])).toBe(1);
    expect(disruptionCost([pod('a'), pod('b', deletion(String(2 ** 27))), pod('c', deletion('-2147483648'))])).toBe(4);
  });
});

describe('the cost of moving pods', () => {
  test('is their share of the node for five minutes', () => {
    expect(moveCost([runs(1, 1_000)], NODE, 1.2, NOW)).toBeCloseTo(1.2 * 0.25 * (5 / 60));
    expect(moveCost([], NODE, 1.2, NOW)).toBe(0);
  });

  test('counts what a Job has done so far', () => {
    const of = runs(2, 25, { owner: 'Job/batch' });
    expect(workTimeOf(of, NOW)).toBe(minutes(25));
    expect(moveCost([of], NODE, 1, NOW)).toBeCloseTo(0.5 * (30 / 60));
    expect(workAtRisk([of, runs(4, 1_000)], NOW)).toBe(2 * 25 * 60);
  });
});

describe('whether it pays', () => {
  const hour = minutes(60);
  const none = minutes(0);
  test('to delete: twice the moves within the horizon', () => {
    expect(isWorthDeleting({ cost: 1, moves: 0.5, horizon: hour })).toBe(true);
    expect(isWorthDeleting({ cost: 1, moves: 0.51, horizon: hour })).toBe(false);
    expect(isWorthDeleting({ cost: 1, moves: 0.5, horizon: minutes(59) })).toBe(false);
  });

  test('to replace: the least saving, for as long as nothing is moved', () => {
    expect(maxCostOf({ cost: 1, moves: 0, horizon: (hour * 1_000) as DurationMs }, 0.05)).toBe(0.95);
  });

  test('to replace: less for what is moved, and for the time in which both are paid', () => {
    const max = maxCostOf({ cost: 1, moves: 0.25, horizon: hour }, 0.05);
    // The saving of the hour, less five minutes of both, is twice the moves.
    expect(1 - max - max / 12).toBeCloseTo(0.5);
  });

  test('never without a horizon', () => {
    expect(maxCostOf({ cost: 1, moves: 0, horizon: none }, 0.05)).toBeLessThan(0);
  });
});
