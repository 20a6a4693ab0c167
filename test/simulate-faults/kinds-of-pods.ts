import type { Step } from './step.ts';
import type { Workload } from '../../providers/simulated/workload.ts';
import { type Chance, chanceFor } from '../../providers/simulated/chance.ts';

interface AboutPods {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly drawn: readonly string[];
}

type Change = (workload: Workload, chance: Chance) => Partial<Workload>;

/** What workloads are beside plain Deployments with plain budgets, and which part of those that may be so are. */
const KINDS: Readonly<
  Record<string, { readonly part: number; readonly may: (workload: Workload) => boolean; readonly change: Change }>
> = {
  'budget in percent': {
    part: 0.3,
    may: ({ minAvailable }) => minAvailable !== undefined,
    change: (_workload, chance) => ({ minAvailablePercent: [25, 50, 75, 100][chance.within({ min: 0, max: 3 })]! }),
  },
  'budget that lets unready pods go': {
    part: 0.3,
    may: ({ minAvailable }) => minAvailable !== undefined,
    change: () => ({ unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
  },
  'two budgets': {
    part: 0.06,
    may: ({ minAvailable }) => minAvailable !== undefined,
    change: () => ({ secondBudget: true }),
  },
  StatefulSet: {
    part: 0.12,
    may: ({ kind }) => kind === 'Deployment',
    change: () => ({ kind: 'StatefulSet' }),
  },
};

/** All kinds that are drawn so. */
export const KINDS_OF_PODS: readonly string[] = Object.keys(KINDS);

/** The scenario with workloads of other kinds. A workload is of the same kind in all of its steps. */
export function withKindsOfPods<Scenario extends AboutPods>(scenario: Scenario): Scenario {
  const drawn = new Set<string>();
  const changed = (given: Workload): Workload =>
    Object.entries(KINDS).reduce((workload, [name, { part, may, change }]) => {
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
