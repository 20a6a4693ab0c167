import type { InstanceCommitment, SavingsPlan } from '../../core/model/commitment.ts';
import { textBefore } from '../../core/model/values/existing.ts';
import { rounded } from '../../core/model/values/rounded.ts';
import { groupName } from '../../core/model/values/names.ts';
import { epochMs } from '../../core/model/values/time.ts';
import { type Chance, chanceFor } from '../../simulation/chance.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import { AWAITING } from '../../simulation/load/awaiting-pods.ts';
import { CAPACITY_LABEL } from './notice-scenario.ts';
import { ofAnotherSize } from './node-sizes.ts';
import type { FaultScenario, TemplateChange } from './fault-scenario.ts';

/** Names among what is drawn. */
export const OTHER_SIZES = 'nodes of two sizes';
export const COMMITMENTS = 'commitments';
export const CAPACITY_BLOCK = 'a capacity block';

/** A node is replaced by one of another size where there is one, so runs with consolidation mostly have it. */
const OTHER_SIZE = { consolidation: 0.75, otherwise: 0.04 };

/** The scenario with what its node groups have in some runs beside what they are made as. */
export const withDrawnGroups = (scenario: FaultScenario, always: readonly string[]): FaultScenario =>
  withCapacityBlock(
    withCommitments(withTemplateChanges(withHeldNodes(withOtherSize(scenario, always))), always),
    always,
  );

const COMMITTED = 0.2;

/** On AWS, some runs have reserved instances, capacity reservations and savings plans for a part of their on-demand groups. */
function withCommitments(scenario: FaultScenario, always: readonly string[]): FaultScenario {
  const chance = chanceFor(scenario.seed, 'commitments');
  const isDrawn = chance.next() < COMMITTED || always.includes(COMMITMENTS);
  const groups = scenario.groups.filter(({ labels }) => labels[CAPACITY_LABEL] === 'ON_DEMAND');
  if (!isDrawn || scenario.provider !== 'aws' || groups.length === 0) {
    return scenario;
  }
  const byType = new Map(groups.map((group) => [group.instanceType, group]));
  const commitments = [...byType.values()].map(({ instanceType: type, zones }): InstanceCommitment => {
    const kind = chance.oneOf(['ReservedInstances', 'CapacityReservation'] as const);
    const isReserved = kind === 'ReservedInstances';
    const zone = isReserved && chance.next() < 0.7 ? null : zones[0]!;
    const count = chance.within({ min: 1, max: 6 });
    return { kind, type, zone, count, available: isReserved ? null : count, coversSizes: isReserved && zone === null };
  });
  const plans = savingsPlansFor([...byType.values()], chanceFor(scenario.seed, 'savings plans'));
  return { ...scenario, commitments: [...commitments, ...plans], drawn: [...scenario.drawn, COMMITMENTS] };
}

const IN_BLOCK = 0.06;

/** On AWS, some runs have a group that launches into a capacity block, which has no price. Limits of the cost go without one. */
function withCapacityBlock(scenario: FaultScenario, always: readonly string[]): FaultScenario {
  const chance = chanceFor(scenario.seed, 'capacity block');
  const isDrawn = chance.next() < IN_BLOCK || always.includes(CAPACITY_BLOCK);
  const { groups, options } = scenario;
  const hasCostLimit = [options, ...groups.map((group) => group.options)].some(
    ({ maxCostPerHour = 0 }) => maxCostPerHour > 0,
  );
  const able = groups.filter(({ warmPool, zones }) => warmPool === undefined && zones.length === 1);
  if (!isDrawn || scenario.provider !== 'aws' || hasCostLimit || able.length === 0) {
    return scenario;
  }
  const one = chance.oneOf(able);
  const { instanceType: type, zones, maxSize: count } = one;
  const block: InstanceCommitment = {
    kind: 'CapacityBlock',
    type,
    zone: zones[0]!,
    count,
    available: count,
    coversSizes: false,
  };
  const labels = { ...one.labels, [CAPACITY_LABEL]: 'CAPACITY_BLOCK' };
  return {
    ...scenario,
    groups: groups.map((group) => (group === one ? { ...group, labels, price: null } : group)),
    commitments: [...scenario.commitments, block],
    drawn: [...scenario.drawn, CAPACITY_BLOCK],
  };
}

const WITH_PLAN = 0.6;

/** A savings plan for all types or for one family, as large as some of its nodes and a part of one. */
function savingsPlansFor(groups: readonly SimulatedScalingGroup[], chance: Chance): readonly SavingsPlan[] {
  const family = chance.next() < 0.5 ? null : textBefore(chance.oneOf(groups).instanceType, '.');
  const rates = groups.flatMap(({ instanceType: type, price }): [string, number][] =>
    price !== null && (family === null || type.startsWith(`${family}.`))
      ? [[type, rounded(price * (0.4 + 0.3 * chance.next()))]]
      : [],
  );
  const commitment = rounded((0.5 + 5 * chance.next()) * Math.max(0, ...rates.map(([, rate]) => rate)));
  return chance.next() < WITH_PLAN && commitment > 0
    ? [{ kind: 'SavingsPlan', family, commitment, rates: Object.fromEntries(rates) }]
    : [];
}

/** The part of the groups whose nodes register with the taint, where the option is on. */
const HELD = 0.8;

/** With `plannedPlacement` the nodes of most groups begin with its taint, those that are there at the start, too. */
function withHeldNodes(scenario: FaultScenario): FaultScenario {
  if (!scenario.drawn.includes('plannedPlacement')) {
    return scenario;
  }
  const chance = chanceFor(scenario.seed, 'held nodes');
  const groups = scenario.groups.map((group) =>
    chance.next() < HELD ? { ...group, taints: [...group.taints, AWAITING] } : group,
  );
  return { ...scenario, groups };
}

/**
 * Some pools get a group of nodes that are half or twice as large as their others: 4 units beside 8. Whatever pod a node
 * of the pool can hold, both can.
 */
function withOtherSize(scenario: FaultScenario, always: readonly string[]): FaultScenario {
  const chance = chanceFor(scenario.seed, 'other size');
  const part = scenario.drawn.includes('consolidation') ? OTHER_SIZE.consolidation : OTHER_SIZE.otherwise;
  if (chance.next() >= part && !always.includes(OTHER_SIZES)) {
    return scenario;
  }
  const spot = chanceFor(scenario.seed, 'spot of another size');
  const more: SimulatedScalingGroup[] = [];
  const pools = scenario.pools.map((pool) => {
    if (pool.units < SMALL) {
      return pool;
    }
    const like = scenario.groups.find(({ name }) => name === pool.groups[0])!;
    const other = groupOfOtherSize(like, pool.units, chance);
    more.push(spot.next() < SPOT ? asSpot(other) : other);
    return { ...pool, units: LARGE, groups: [...pool.groups, other.name] };
  });
  return more.length === 0
    ? scenario
    : { ...scenario, pools, groups: [...scenario.groups, ...more], drawn: [...scenario.drawn, OTHER_SIZES] };
}

/** The part of on-demand pools whose group of another size is a Spot group, as cheap as Spot is: consolidation goes to it. */
const SPOT = 0.6;
const SPOT_PRICE = 0.37;

const asSpot = (group: SimulatedScalingGroup): SimulatedScalingGroup =>
  group.labels[CAPACITY_LABEL] === 'ON_DEMAND'
    ? {
        ...group,
        labels: { ...group.labels, [CAPACITY_LABEL]: 'SPOT' },
        price: group.price === null ? null : group.price * SPOT_PRICE,
      }
    : group;

const SMALL = 4;
const LARGE = 8;

function groupOfOtherSize(like: SimulatedScalingGroup, units: number, chance: Chance): SimulatedScalingGroup {
  const times = units === LARGE ? SMALL / LARGE : LARGE / SMALL;
  return {
    ...like,
    ...ofAnotherSize(like, times),
    name: groupName(`${like.name}-other`),
    instanceType: like.instanceType.replace(/xlarge$/, times < 1 ? 'large' : '2xlarge'),
    minSize: 0,
    maxSize: chance.within({ min: 2, max: 8 }),
    desiredSize: 0,
    // As much as it holds, or a little more or less.
    price: like.price === null ? null : like.price * times * chance.oneOf([0.8, 1, 1, 1.25]),
  };
}

/**
 * With `driftReplacement` one template or several are changed once or twice during the run: launch templates, and those of
 * MachineDeployments.
 */
function withTemplateChanges(scenario: FaultScenario): FaultScenario {
  if (!scenario.drawn.includes('driftReplacement')) {
    return scenario;
  }
  const chance = chanceFor(scenario.seed, 'template changes');
  const groups = scenario.groups
    // Instances that come back from a warm pool are as before, and would be replaced for ever (docs/warm-pools.md).
    .filter(({ name, warmPool }) => !name.startsWith('MachineSet/') && warmPool?.reuse !== true);
  return { ...scenario, templateChanges: templateChangesOf(groups, scenario, chance) };
}

/** None, one or two of each group, in their order. */
export const templateChangesOf = (
  groups: readonly SimulatedScalingGroup[],
  { start, faultsUntil }: Pick<FaultScenario, 'start' | 'faultsUntil'>,
  chance: Chance,
): readonly TemplateChange[] =>
  groups
    .flatMap(({ name }): TemplateChange[] =>
      Array.from({ length: chance.within({ min: 0, max: 2 }) }, () => ({
        at: epochMs(chance.within({ min: start, max: faultsUntil })),
        group: name,
      })),
    )
    .toSorted((a, b) => a.at - b.at);
