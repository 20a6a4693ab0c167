import { describe, expect, it } from 'vitest';
import { scopeFor } from '../../../core/reconcile/read-scope.ts';
import { pod } from '../../builders.ts';

const evicted = { recentEvictions: [pod('evicted', { owner: 'ReplicaSet/web' })] };
const none = { recentEvictions: [] };

describe('what an evaluation reads', () => {
  it('of scale-up leaves out PodDisruptionBudgets, and all controllers but DaemonSets', () => {
    expect(scopeFor('ScaleUp', none)).toEqual({ budgets: false, controllers: 'DaemonSets' });
  });

  it('of scale-up has the controllers while evicted pods may be created again', () => {
    expect(scopeFor('ScaleUp', evicted)).toEqual({ budgets: false, controllers: 'all' });
  });

  it.each([none, evicted])('of scale-down is everything', (state) => {
    expect(scopeFor('ScaleDown', state)).toEqual({ budgets: true, controllers: 'all' });
  });
});
