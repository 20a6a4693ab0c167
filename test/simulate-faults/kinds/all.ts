import { chanceFor } from '../../../providers/simulated/chance.ts';
import { type Workload, workloadKey } from '../../../providers/simulated/workload.ts';
import type { Step } from '../step.ts';
import { BARE_PODS } from './bare-pods.ts';
import { BUDGETS } from './budgets.ts';
import { CONTROLLERS } from './controllers.ts';
import type { KindsOfPods } from './kind.ts';
import { PRIORITIES } from './priorities.ts';
import { SPREAD } from './spread.ts';
import { SYSTEM_PODS } from './system-pods.ts';
import { VOLUMES } from './volumes.ts';

interface AboutPods {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly drawn: readonly string[];
}

const KINDS: KindsOfPods = {
  ...BUDGETS,
  ...CONTROLLERS,
  ...PRIORITIES,
  ...BARE_PODS,
  ...SYSTEM_PODS,
  ...VOLUMES,
  ...SPREAD,
};

/** All kinds that are drawn so. */
export const KINDS_OF_PODS: readonly string[] = Object.keys(KINDS);

/**
 * The scenario with workloads of other kinds. A workload is of the same kind in all of its steps.
 *
 * @param always names of kinds that a run has, whatever part of the runs has them.
 */
export function withKindsOfPods<Scenario extends AboutPods>(
  scenario: Scenario,
  always: readonly string[] = [],
): Scenario {
  const { seed } = scenario;
  const drawn = new Set<string>();
  const kinds = Object.entries(KINDS).filter(
    ([name, { runs }]) => runs === undefined || always.includes(name) || chanceFor(seed, runs.name).next() < runs.part,
  );
  const changed = (given: Workload): Workload =>
    kinds.reduce((workload, [name, { part, may, change }]) => {
      // Each from numbers of its own: a kind that is added leaves the others as they are.
      const chance = chanceFor(seed, `${name} of ${given.name}`);
      if (!may(workload) || chance.next() >= part) {
        return workload;
      }
      drawn.add(name);
      return Object.assign({}, workload, change(workload, chance));
    }, given);
  /** Some are in another namespace. */
  const keys = new Map<string, string>();
  const steps = scenario.steps.map((step) => {
    if (step.kind === 'remove') {
      return { ...step, workload: keys.get(step.workload) ?? step.workload };
    }
    const workload = changed(step.workload);
    keys.set(workloadKey(step.workload), workloadKey(workload));
    return { ...step, workload };
  });
  return { ...scenario, steps, drawn: [...scenario.drawn, ...drawn] };
}
