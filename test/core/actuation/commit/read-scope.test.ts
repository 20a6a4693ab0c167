import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../../core/model/options.ts';
import { scopeFor } from '../../../../core/actuation/commit/read-scope.ts';
import { pod } from '../../../builders.ts';

const evicted = { recentEvictions: [pod('evicted', { owner: 'ReplicaSet/web' })] };
const none = { recentEvictions: [] };
const OPTIONS = defaultOptions();

describe('what an evaluation reads', () => {
  it('of scale-up leaves out PodDisruptionBudgets, and all controllers but DaemonSets', () => {
    expect(scopeFor('ScaleUp', none, OPTIONS)).toEqual({ budgets: false, controllers: 'DaemonSets' });
  });

  it('of scale-up has the controllers while evicted pods may be created again', () => {
    expect(scopeFor('ScaleUp', evicted, OPTIONS)).toEqual({ budgets: false, controllers: 'all' });
  });

  it('of scale-up has the controllers where pods count that they are about to create', () => {
    const options = { ...OPTIONS, enableProactiveScaleup: true };
    expect(scopeFor('ScaleUp', none, options)).toEqual({ budgets: false, controllers: 'all' });
  });

  it.each([none, evicted])('of scale-down is everything', (state) => {
    expect(scopeFor('ScaleDown', state, OPTIONS)).toEqual({ budgets: true, controllers: 'all' });
  });
});
