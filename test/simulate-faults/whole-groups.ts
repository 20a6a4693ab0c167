import { CPU, MEMORY, PODS } from '../../core/model/values/resources.ts';
import { addTime, minutes, seconds } from '../../core/model/values/time.ts';
import { groupName } from '../../core/model/values/names.ts';
import { type Chance, chanceFor } from '../../simulation/chance.ts';
import { plainSpec } from '../../simulation/cluster/pod-spec.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import type { Workload } from '../../simulation/cluster/workload.ts';
import { templateChangesOf } from './drawn-groups.ts';
import { DAEMON_CPU, ODD_CPU, UNIT_CPU } from './node-sizes.ts';
import { POOL_LABEL, SIZE_LABEL } from './pools.ts';
import type { Step } from './step.ts';
import { ZONES } from './zones.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** Its name among what is drawn: the option that the group has. */
export const ZERO_OR_MAX = 'zeroOrMaxNodeScaling';

/** Probability that an eligible run has an all-or-nothing group. */
const PART = 0.1;
const NAME = 'whole';
const UNITS = 4;

/**
 * In some runs there is one more pool, of one group that is all or nothing, whose maximum holds all pods of the pool. They come, and
 * all go again: once, twice or three times.
 */
export function withWholeGroup(scenario: FaultScenario, always: readonly string[]): FaultScenario {
  const { seed, provider, drawn } = scenario;
  const chance = chanceFor(seed, ZERO_OR_MAX);
  const isDrawn = chance.next() < PART || always.includes(ZERO_OR_MAX);
  if (!isDrawn) {
    return scenario;
  }
  const maxSize = chance.within({ min: 2, max: 4 });
  const cpu = UNITS * UNIT_CPU + DAEMON_CPU + ODD_CPU;
  const group: SimulatedScalingGroup = {
    name: groupName(provider === 'aws' ? `${NAME}-1` : `MachineDeployment/default/${NAME}-1`),
    zones: ZONES.slice(0, 1),
    instanceType: 'm5.xlarge',
    minSize: 0,
    maxSize,
    desiredSize: chance.next() < 0.3 ? maxSize : 0,
    capacity: { [CPU]: cpu, [MEMORY]: 64 * 2 ** 30, [PODS]: 110 },
    allocatable: { [CPU]: cpu, [MEMORY]: 60 * 2 ** 30, [PODS]: 110 },
    labels: { [POOL_LABEL]: NAME },
    taints: [],
    options: { zeroOrMaxNodeScaling: true },
    price: provider === 'aws' ? 0.1 * UNITS : null,
    boot: { min: 60_000, max: 200_000 },
    ready: { min: 1_000, max: 20_000 },
    available: Number.POSITIVE_INFINITY,
  };
  const steps = stepsOf(scenario, UNITS * maxSize, chance);
  const templateChanges = drawn.includes('driftReplacement') ? templateChangesOf([group], scenario, chance) : [];
  return {
    ...scenario,
    pools: [...scenario.pools, { name: NAME, groups: [group.name], units: UNITS }],
    groups: [...scenario.groups, group],
    steps: [...scenario.steps, ...steps].toSorted((a, b) => a.at - b.at),
    templateChanges: [...scenario.templateChanges, ...templateChanges].toSorted((a, b) => a.at - b.at),
    drawn: [...drawn, ZERO_OR_MAX],
  };
}

/** Pods that come in bursts of so many units at the most, and all go before the next one. */
function stepsOf(
  { start, faultsUntil }: Pick<FaultScenario, 'start' | 'faultsUntil'>,
  most: number,
  chance: Chance,
): readonly Step[] {
  const steps: Step[] = [];
  const size = chance.oneOf([1, 2, 4]);
  let at = addTime(start, seconds(chance.within({ min: 1, max: 300 })));
  for (let burst = 0; burst < 3; burst += 1) {
    const pods = chance.within({ min: 1, max: most / size });
    const until = addTime(at, minutes(chance.within({ min: 3, max: 15 })));
    steps.push({ kind: 'apply', at, workload: workloadOf(size, pods) });
    if (until > faultsUntil) {
      break;
    }
    steps.push({ kind: 'apply', at: until, workload: workloadOf(size, 0) });
    at = addTime(until, minutes(chance.within({ min: 1, max: 15 })));
    if (at > faultsUntil) {
      break;
    }
  }
  return steps;
}

const workloadOf = (units: number, pods: number): Workload => ({
  kind: 'Deployment',
  namespace: 'default',
  name: NAME,
  pods,
  labels: { app: NAME, [SIZE_LABEL]: String(units) },
  spec: plainSpec({ [CPU]: units * UNIT_CPU }, { nodeSelector: { [POOL_LABEL]: NAME } }),
  runsFor: null,
});

/** Has the group nothing or all of it? */
export const isWholeGroup = ({ options }: Pick<SimulatedScalingGroup, 'options'>): boolean =>
  options.zeroOrMaxNodeScaling === true;
