import { chanceFor } from '../../../providers/simulated/chance.ts';
import type { Workload } from '../../../providers/simulated/workload.ts';
import type { Step } from '../step.ts';
import { BUDGETS } from './budgets.ts';
import { CONTROLLERS } from './controllers.ts';
import type { KindsOfPods } from './kind.ts';

interface AboutPods {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly drawn: readonly string[];
}

const KINDS: KindsOfPods = { ...BUDGETS, ...CONTROLLERS };

/** All kinds that are drawn so. */
export const KINDS_OF_PODS: readonly string[] = Object.keys(KINDS);

/** The scenario with workloads of other kinds. A workload is of the same kind in all of its steps. */
export function withKindsOfPods<Scenario extends AboutPods>(scenario: Scenario): Scenario {
  const drawn = new Set<string>();
  const changed = (given: Workload): Workload =>
    Object.entries(KINDS).reduce((workload, [name, { part, may, change }]) => {
      // Each from numbers of its own: a kind that is added leaves the others as they are.
      const chance = chanceFor(scenario.seed, `${name} of ${given.name}`);
      if (!may(workload) || chance.next() >= part) {
        return workload;
      }
      drawn.add(name);
      return Object.assign({}, workload, change(workload, chance));
    }, given);
  const steps = scenario.steps.map((step) =>
    step.kind === 'apply' ? { ...step, workload: changed(step.workload) } : step,
  );
  return { ...scenario, steps, drawn: [...scenario.drawn, ...drawn] };
}
