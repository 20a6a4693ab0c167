import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import { pod } from '../../../builders.ts';
import { given, later, spare } from '../prediction/big-and-small.ts';

describe('where kube-scheduler will put the pods', () => {
  test('the nodes bought beyond are neither bought again, nor taken by pods that come later', () => {
    const input = given({ predictedPlacementRatio: 2 });
    const first = evaluate(input);
    const again = evaluate(later(input, first));
    expect(again.scaleUp.result).toBe('NotNeeded');
    expect([again.state.reservations, again.state.reservedPacking]).toEqual([
      first.state.reservations,
      first.state.reservedPacking,
    ]);
    const newcomer = pod('zz-newcomer', { requests: { cpu: 4 } });
    const third = evaluate(later(input, first, [...input.objects.pods, newcomer]));
    expect(third.scaleUp.pods.find(({ pod: key }) => key.endsWith('newcomer'))).toMatchObject({ outcome: 'Triggered' });
    expect(spare(third)).toBeGreaterThanOrEqual(spare(first));
  });

  test('nothing is remembered once no pod waits for a place', () => {
    const input = given({ predictedPlacementRatio: 2 });
    const after = evaluate(later(input, evaluate(input), []));
    expect([after.state.reservations, after.state.reservedPacking]).toEqual([{}, {}]);
  });
});
