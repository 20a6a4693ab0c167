import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import { cluster, waiting, runningOn, rows } from './two-nodes.ts';

describe('expendable pods', () => {
  const EXPENDABLE = { spec: { priority: -11 } };

  test('make room: nothing is bought for a pod that may take their place', () => {
    const low = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`, EXPENDABLE));
    expect(rows(evaluate(cluster({ pods: [...low, waiting('p')] })))).toEqual({ p: 'Fits' });
  });

  test('make none for a pod that never preempts', () => {
    const low = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`, EXPENDABLE));
    const meek = waiting('p', { spec: { priority: 1_000, preemptionPolicy: 'Never' } });
    expect(rows(evaluate(cluster({ pods: [...low, meek] })))).toEqual({ p: 'Triggered' });
    expect(rows(evaluate(cluster({ pods: [low[0]!, meek] })))).toEqual({ p: 'Fits' });
  });

  test('do not when they are of the priority where that ends', () => {
    const low = ['n1', 'n2'].map((name) => runningOn(name, `on-${name}`, { spec: { priority: -10 } }));
    expect(rows(evaluate(cluster({ pods: [...low, waiting('p')] })))).toEqual({ p: 'Triggered' });
  });
});
