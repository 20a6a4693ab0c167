import type { NodeBudget } from '../../core/model/node-budget.ts';
import type { Options } from '../../core/model/options.ts';
import { minutes, seconds } from '../../core/model/values/time.ts';
import { rounded } from '../../core/model/values/rounded.ts';
import { type Chance, chanceFor } from '../../simulation/chance.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import { drawnSchedules } from './drawn-schedules.ts';
import { coresOf, gibOf, priceOf } from './limits.ts';
import type { FaultScenario } from './fault-scenario.ts';

type Draw = (chance: Chance, about: FaultScenario) => Partial<Options>;
/** Draws options of single groups. */
type DrawOfGroups = (
  chance: Chance,
  groups: readonly SimulatedScalingGroup[],
  options: Options,
) => readonly SimulatedScalingGroup[];

/** Amount of all nodes at their minimum, and of this many nodes beyond it. */
const amountOf = (
  groups: readonly SimulatedScalingGroup[],
  more: number,
  of: (group: SimulatedScalingGroup) => number,
): number => groups.reduce((sum, group) => sum + group.minSize * of(group), 0) + more * of(groups[0]!);

/** Nodes beyond the minimum of all groups: for a limit, and for a minimum. */
const MOST = { min: 3, max: 14 };
const LEAST = { min: 1, max: 3 };

/** Otherwise the cost of a node depends on the number of others. */
const pricesHoldForAll = ({ prices }: Options): boolean => prices.every(({ covered }) => covered === null);

const ALL: NodeBudget = { nodes: 0, reasons: null, schedule: null, unreadable: null };
/** Five minutes of each quarter of an hour. */
const FIVE_OF_FIFTEEN = { cron: '*/15 * * * *', duration: minutes(5), timeZone: 'Europe/Berlin' };

/** Draw of each option, and the part of the runs that have it. */
const DRAWS: Readonly<
  Record<
    string,
    {
      readonly part: number | ((drawn: readonly string[]) => number);
      readonly draw: Draw;
      readonly ofGroups?: DrawOfGroups;
    }
  >
> = {
  prices: {
    part: 0.1,
    draw: (chance, { groups }) => {
      const { instanceType: type, price, ...group } = chance.oneOf(groups);
      const known = price ?? 0.05 * coresOf(group);
      return {
        prices: [
          {
            type,
            zone: null,
            capacityType: null,
            price: rounded(known * chance.oneOf([0.4, 0.7, 1, 1.5])),
            covered: chance.oneOf([null, null, 2, 5]),
          },
        ],
      };
    },
  },
  maxNodesTotal: {
    part: 0.08,
    draw: (chance, { groups }) => ({ maxNodesTotal: amountOf(groups, chance.within(MOST), () => 1) }),
  },
  coresTotal: {
    part: 0.06,
    draw: (chance, { groups, options }) => ({
      coresTotal: { ...options.coresTotal, max: Math.ceil(amountOf(groups, chance.within(MOST), coresOf)) },
    }),
  },
  memoryTotal: {
    part: 0.06,
    draw: (chance, { groups, options }) => ({
      memoryTotal: { ...options.memoryTotal, max: Math.ceil(amountOf(groups, chance.within(MOST), gibOf)) },
    }),
  },
  maxCostPerHour: {
    part: 0.06,
    draw: (chance, { provider, groups, options }) =>
      provider === 'aws' && pricesHoldForAll(options)
        ? { maxCostPerHour: amountOf(groups, chance.within(MOST), (group) => priceOf(group, options)) }
        : {},
  },
  'maxCostPerHour of a group': {
    part: 0.08,
    draw: () => ({}),
    ofGroups: (chance, groups, options) => {
      const one = chance.oneOf(groups);
      const maxCostPerHour = (one.minSize + chance.within({ min: 1, max: 3 })) * priceOf(one, options);
      return one.price !== null && pricesHoldForAll(options)
        ? groups.map((group) => (group === one ? { ...group, options: { ...group.options, maxCostPerHour } } : group))
        : groups;
    },
  },
  'minimum of coresTotal': {
    part: 0.06,
    draw: (chance, { groups, options }) => ({
      coresTotal: { ...options.coresTotal, min: Math.floor(amountOf(groups, chance.within(LEAST), coresOf)) },
    }),
  },
  'skipNodesWithSystemPods: false': { part: 0.2, draw: () => ({ skipNodesWithSystemPods: false }) },
  blockingSystemPodDistruptionTimeout: {
    part: 0.2,
    draw: () => ({ blockingSystemPodDistruptionTimeout: minutes(10) }),
  },
  enforceNodeGroupMinSize: { part: 0.25, draw: () => ({ enforceNodeGroupMinSize: true }) },
  forceDeleteUnregisteredNodes: { part: 0.15, draw: () => ({ forceDeleteUnregisteredNodes: true }) },
  forceDeleteFailedNodes: { part: 0.15, draw: () => ({ forceDeleteFailedNodes: true }) },
  newPodScaleUpDelay: {
    part: 0.15,
    draw: (chance) => ({ newPodScaleUpDelay: chance.oneOf([seconds(10), seconds(30)]) }),
  },
  nodeDeleteDelayAfterTaint: {
    part: 0.25,
    draw: (chance) => ({ nodeDeleteDelayAfterTaint: chance.oneOf([seconds(0), seconds(15), seconds(40)]) }),
  },
  disruptionBudgets: {
    part: 0.12,
    draw: (chance) => ({
      disruptionBudgets: chance.oneOf([
        [{ ...ALL, nodes: 1 }],
        [{ ...ALL, nodes: { percent: 20 } }],
        [
          { ...ALL, nodes: 2 },
          { ...ALL, nodes: 0, reasons: ['Underutilized'], schedule: FIVE_OF_FIFTEEN },
        ],
        [{ ...ALL, nodes: 0, schedule: FIVE_OF_FIFTEEN }],
      ]),
    }),
  },
  'disruptionBudgets of a group': {
    part: (drawn) => (drawn.includes('disruptionBudgets') ? 0.6 : 0.1),
    draw: () => ({}),
    ofGroups: (chance, groups) => {
      const one = chance.oneOf(groups);
      const disruptionBudgets = chance.oneOf([
        [{ ...ALL, nodes: 1 }],
        [{ ...ALL, nodes: { percent: 40 } }],
        [{ ...ALL, nodes: 0, schedule: FIVE_OF_FIFTEEN }],
        [{ ...ALL, nodes: 0, reasons: ['Empty', 'Underutilized'] as const }],
      ]);
      return groups.map((group) =>
        group === one ? { ...group, options: { ...group.options, disruptionBudgets } } : group,
      );
    },
  },
  drainPriorityConfig: {
    part: 0.2,
    draw: (chance) => ({
      drainPriorityConfig: chance.oneOf([
        [{ priority: 0, graceSeconds: 30 }],
        [
          { priority: 0, graceSeconds: 60 },
          { priority: 1_000, graceSeconds: 20 },
        ],
      ]),
    }),
  },
  maxPodEvictionTime: {
    part: 0.2,
    draw: (chance) => ({ maxPodEvictionTime: chance.oneOf([seconds(20), seconds(240)]) }),
  },
  nodeRepair: { part: 0.15, draw: () => ({ nodeRepair: 'replace' }) },
  consolidation: {
    part: 0.15,
    draw: (chance) => ({
      consolidation: chance.oneOf(['delete', 'replace', 'replace']),
      consolidateAfter: chance.oneOf([seconds(20), minutes(1), minutes(5)]),
      consolidationMinNodeAge: chance.oneOf([seconds(30), minutes(2), minutes(10)]),
      consolidationHorizon: chance.oneOf([seconds(0), minutes(60), minutes(24 * 60)]),
      consolidationMinSaving: chance.oneOf([0.05, 0.05, 0.3]),
      consolidationMaxMovesPerDay: chance.oneOf([0, 0, 12]),
      consolidationMaxMovesPerPod: chance.oneOf([4, 4, 1]),
      consolidationUtilizationThreshold: chance.oneOf([1, 1, 0.8]),
    }),
  },
  driftReplacement: { part: 0.1, draw: () => ({ driftReplacement: 'replace' }) },
  expireAfter: { part: 0.08, draw: (chance) => ({ expireAfter: minutes(chance.within({ min: 10, max: 40 })) }) },
  'scaleDownUnneededTime: auto': { part: 0.08, draw: () => ({ scaleDownUnneededTime: 'auto' }) },
  rebalanceRecommendation: {
    part: 0.25,
    draw: (chance) => ({ rebalanceRecommendation: chance.oneOf(['cordon', 'replace', 'replace']) }),
  },
  fillOldestNodesFirst: { part: 0.08, draw: () => ({ fillOldestNodesFirst: true }) },
  jobProtectionAge: { part: 0.1, draw: (chance) => ({ jobProtectionAge: chance.oneOf([seconds(0), minutes(1)]) }) },
  capacitySchedules: {
    part: 0.08,
    draw: (chance, scenario) => ({ capacitySchedules: drawnSchedules(chance, scenario) }),
  },
  plannedPlacement: { part: 0.08, draw: () => ({ plannedPlacement: true }) },
  scaleDownUnreadyEnabled: { part: 0.1, draw: () => ({ scaleDownUnreadyEnabled: false }) },
};

/** All options that are drawn so. */
export const DRAWN_OPTIONS: readonly string[] = Object.keys(DRAWS);

/**
 * The scenario with options that most runs leave as they are, each in a part of the runs.
 *
 * @param always names of those that are drawn in any case.
 */
export function withDrawnOptions(scenario: FaultScenario, always: readonly string[] = []): FaultScenario {
  let options: Options = scenario.options;
  let groups = scenario.groups;
  const drawn = [...scenario.drawn];
  for (const [name, { part, draw, ofGroups }] of Object.entries(DRAWS)) {
    // Each option has random numbers of its own, so a new option does not change the drawings of the rest.
    const chance = chanceFor(scenario.seed, `option ${name}`);
    if (chance.next() < (typeof part === 'number' ? part : part(drawn)) || always.includes(name)) {
      options = Object.assign({}, options, draw(chance, { ...scenario, options }));
      groups = ofGroups?.(chance, groups, options) ?? groups;
      drawn.push(name);
    }
  }
  return { ...scenario, options, groups, drawn };
}
