import { type Demand, demandRows } from '../../estimator/demand.ts';
import type { RequestedPods } from '../../headroom/quota-ledger.ts';
import type { PlanInput } from '../orchestrator/plan-input.ts';

/** The pods of the sets as demands. */
export const demandsFor = (
  { snapshot }: Pick<PlanInput, 'snapshot'>,
  sets: readonly RequestedPods[],
): readonly Demand[] =>
  demandRows(
    ...sets.map(({ pod, count }) => {
      const pods = Array.from({ length: count }, () => pod);
      return { pods, kinds: pods.map(() => snapshot.kindOf(pod)) };
    }),
  );
