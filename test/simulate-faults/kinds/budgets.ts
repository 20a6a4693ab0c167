import type { Workload } from '../../../providers/simulated/workload.ts';
import type { KindsOfPods } from './kind.ts';

const hasBudget = ({ minAvailable }: Workload): boolean => minAvailable !== undefined;

/** What budgets may be beside an absolute `minAvailable`. */
export const BUDGETS: KindsOfPods = {
  'budget in percent': {
    part: 0.3,
    may: hasBudget,
    change: (_workload, chance) => ({ minAvailablePercent: [25, 50, 75, 100][chance.within({ min: 0, max: 3 })]! }),
  },
  'budget that lets unready pods go': {
    part: 0.3,
    may: hasBudget,
    change: () => ({ unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
  },
  'two budgets': { part: 0.06, may: hasBudget, change: () => ({ secondBudget: true }) },
};
