import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { PodDisruptionBudget } from '../../../../core/model/cluster/workloads.ts';
import { pdb } from '../../../../core/scaledown/drainability/pdb.ts';
import { asked, drainContext, webPod } from '../given.ts';
import { budget } from '../../../builders.ts';

const USED = budget({ disruptionsAllowed: 0, currentHealthy: 2 });

// More of what the API server counts is in pdb-tracker.test.ts.
describe('rule 12, pdb: a PodDisruptionBudget has a disruption left', () => {
  it.each<[string, Pod, readonly PodDisruptionBudget[], string]>([
    ['no budget', webPod(), [], '-'],
    ['a budget with one left', webPod(), [budget()], '-'],
    ['a budget with none left', webPod(), [USED], 'Block NotEnoughPdb'],
    ['a budget that is overdrawn', webPod(), [budget({ disruptionsAllowed: -1 })], 'Block NotEnoughPdb'],
    ['of other pods', webPod({ labels: { app: 'db' } }), [USED], '-'],
    ['of another namespace', webPod({ namespace: 'else' }), [USED], '-'],
    ['without a selector', webPod(), [{ ...USED, selector: null }], '-'],
    ['two, both with one left', webPod(), [budget(), budget({ name: 'other' })], 'Block NotEnoughPdb'],
    ['a pod that is not up yet', webPod({ phase: 'Pending', ready: false }), [USED], '-'],
  ])('%s', (_, pod, budgets, expected) => {
    expect(asked(pdb, pod, { budgets })).toBe(expected);
  });

  it('names the budget and its numbers', () => {
    expect(pdb.decide(webPod(), drainContext({ budgets: [USED] }))).toMatchObject({
      message: 'PodDisruptionBudget web allows no disruption: 2 healthy pods, of which it needs 2',
    });
  });
});
