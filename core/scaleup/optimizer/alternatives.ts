import { hasGpu } from '../expanders/price.ts';
import { CPU } from '../../model/resources.ts';
import type { Increase } from '../../model/decision.ts';
import type { Change } from '../../model/snapshot/snapshot.ts';
import { planGangs } from '../orchestrator/gangs.ts';
import { type Costs, fractionalBound, type Offer } from '../../nodegroups/cost.ts';
import { budgeted } from '../../scheduling/budgeted-scheduler.ts';
import { type Demand, keepsApart } from '../../estimator/demand.ts';
import { type PackingMethod, FIRST_FIT_DECREASING, OTHER_METHODS } from '../../estimator/packing-method.ts';
import type { Load } from '../../estimator/load.ts';
import { opensNodes } from '../../estimator/placing.ts';
import type { Plan } from '../orchestrator/salvo.ts';
import { onFreshNodes, type PlanInput, skipOf, startRound, USUAL, type Variant } from '../orchestrator/round.ts';
import { newNodeVerdict } from '../orchestrator/verdict.ts';

/** A plan that was made. */
export interface Proposal {
  readonly plan: Plan;
  readonly method: PackingMethod;
  /** In words: how it was packed, and with which groups. */
  readonly name: string;
  /** USD per hour. */
  readonly cost: number;
  /** Puts it back onto the snapshot (`Snapshot.redo`); `null`: it is there, in a fork of its own. */
  readonly changes: readonly Change[] | null;
}

/** What the usual plan comes to, and what could be had instead. */
export interface Proposals {
  readonly usual: Proposal;
  /** Cheaper ones that place all that the usual one does, the cheapest first. */
  readonly cheaper: readonly Proposal[];
  /** No plan is cheaper than this, USD per hour; `null` where it was not worked out. */
  readonly bound: number | null;
  /** How many other plans were made. */
  readonly tried: number;
}

/** As many groups are tried as the first to be chosen. */
const FIRST_GROUPS = 4;

/**
 * Plans as usual, by first-fit-decreasing; and where that costs more than `packingImprovementRatio` of what no plan can
 * be below, in other ways too: other fits, other orders, other groups first, and without the group that won.
 *
 * What is spent on it is counted in scheduler checks, so that the same scenario always tries the same plans: a
 * plan is not begun when it may take more than is left of `packingImprovementBudget`.
 *
 * The snapshot is left with the usual plan in a fork of its own when no other was tried, else without any.
 *
 * @param wanting everything that wants a node.
 */
export function propose(input: Omit<PlanInput, 'variant'>, wanting: readonly Demand[], costs: Costs): Proposals {
  const { snapshot, scenario } = input;
  const { packingImprovementRatio: ratio, packingImprovementBudget: budget } = scenario.options;
  const counted = budgeted(input.scheduler);
  const make = (variant: Variant, name: string): Proposal => {
    snapshot.fork();
    const plan = planGangs({ ...input, scheduler: counted, variant }, wanting);
    return { plan, method: variant.method, name, cost: costOf(plan.increases, costs), changes: null };
  };
  const usual = make(USUAL, FIRST_FIT_DECREASING.name);
  const loads = loadsOf(usual.plan);
  const usable = scenario.nodeGroups.filter(({ name }) => input.templates.has(name));
  if (usual.plan.increases.length === 0 || counted.schedulerChecks() + loads.length * usable.length > budget) {
    return { usual, cheaper: [], bound: null, tried: 0 };
  }
  const bound = boundOf(input, loads, costs);
  if (ratio === 0 || usual.cost <= bound * ratio) {
    return { usual, cheaper: [], bound, tried: 0 };
  }
  // A fit that looks at every node does so for every kind.
  const nodes = usual.plan.increases.reduce((sum, { from, to }) => sum + to - from, 0);
  const each = counted.schedulerChecks() + loads.length * nodes;
  let spent = counted.schedulerChecks();
  if (spent + each > budget) {
    return { usual, cheaper: [], bound, tried: 0 };
  }
  const usualChanges = snapshot.revert();
  const good: Proposal[] = [];
  let tried = 0;
  const attempt = (variant: Variant, name: string): void => {
    if (spent + each > budget) {
      return;
    }
    const before = counted.schedulerChecks();
    const proposal = make(variant, name);
    const changes = snapshot.revert();
    tried += 1;
    spent += counted.schedulerChecks() - before + (variant.method.fit === 'first' ? 0 : loads.length * nodes);
    // Larger nodes are not worth it for what is nearly the same cost, no more than to the expanders.
    const larger = largestNode(proposal.plan, input) > largestNode(usual.plan, input);
    const most = larger ? usual.cost / (1 + scenario.options.nearTieRatio) : usual.cost;
    if (
      proposal.cost < most - TOLERANCE &&
      placesAll(proposal.plan, usual.plan) &&
      gpuNodesOf(proposal.plan, input) <= gpuNodesOf(usual.plan, input)
    ) {
      good.push({ ...proposal, changes });
    }
  };
  const apart = input.demands.some(({ kind }) => keepsApart(kind));
  // Without pods that keep apart it is the usual order.
  for (const method of OTHER_METHODS.filter(({ order }) => apart || order !== 'sum alone')) {
    attempt({ ...USUAL, method }, method.name);
  }
  if (mayMix(scenario.options.expander)) {
    const methods = [
      FIRST_FIT_DECREASING,
      ...good
        .toSorted(byCost)
        .slice(0, 1)
        .map(({ method }) => method),
    ];
    const { winner, options } = usual.plan.considered[0]!;
    const others = options.map(({ group }) => group).filter((group) => group !== winner);
    for (const method of new Set(methods)) {
      for (const first of others.slice(0, FIRST_GROUPS)) {
        attempt({ ...USUAL, method, first }, `${method.name}, ${first} first`);
      }
      if (others.length > 0) {
        attempt({ ...USUAL, method, without: new Set([winner]) }, `${method.name}, without ${winner}`);
      }
    }
  }
  return { usual: { ...usual, changes: usualChanges }, cheaper: good.toSorted(byCost), bound, tried };
}

/**
 * Nodes with GPUs are a last resort for pods without, however cheap: no other plan has more of them than the usual one.
 */
const gpuNodesOf = ({ increases }: Plan, { templates, scenario }: Pick<PlanInput, 'templates' | 'scenario'>): number =>
  increases.reduce(
    (sum, { group, from, to }) => (hasGpu(templates.get(group)!.node, scenario.provider) ? sum + to - from : sum),
    0,
  );

/** The CPU of the largest node that the plan adds. */
const largestNode = ({ increases }: Plan, { templates }: Pick<PlanInput, 'templates'>): number =>
  Math.max(0, ...increases.map(({ group }) => templates.get(group)!.node.capacity[CPU] ?? 0));

/** Sums of prices are not exact. */
const TOLERANCE = 1e-9;

/** Of equal ones that which was tried first: sorting is stable. */
const byCost = (a: Proposal, b: Proposal): number => a.cost - b.cost;

/** Who chooses by price or waste wants the cheapest; who chooses by priority or at random has other reasons. */
const mayMix = (expanders: readonly string[]): boolean =>
  expanders.length > 0 && expanders.every((name) => name === 'price' || name === 'least-waste');

/** USD per hour of the nodes that are added. */
export const costOf = (increases: readonly Increase[], costs: Costs): number =>
  increases.reduce((sum, { group, from, to }) => sum + (to - from) * costs.of(group), 0);

function placesAll(plan: Plan, usual: Plan): boolean {
  const placed = new Map(loadsOf(plan).map(({ kind, count }) => [kind, count]));
  return loadsOf(usual).every(({ kind, count }) => (placed.get(kind) ?? 0) >= count);
}

/** The pods of a plan, by kind. */
function loadsOf({ placements }: Plan): readonly Load[] {
  const counts = new Map<Load['kind'], number>();
  for (const { kind, count } of placements) {
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return [...counts].map(([kind, count]) => ({ kind, count }));
}

/** Verdicts of these plugins depend on where other pods are: some plan may well have a place. */
const PASSING: ReadonlySet<string> = new Set(['PodTopologySpread', 'InterPodAffinity']);

/**
 * Pods that new nodes may open old ones for need not pay for a new one, where there are old ones: they are left out.
 */
function boundOf(input: Omit<PlanInput, 'variant'>, loads: readonly Load[], costs: Costs): number {
  const round = startRound({ ...input, variant: USUAL });
  const counted = input.snapshot.nodeCount === 0 ? loads : loads.filter(({ kind }) => !opensNodes(kind));
  const offers = input.scenario.nodeGroups.flatMap((group): Offer[] => {
    if (skipOf(round, group) !== null) {
      return [];
    }
    return [
      onFreshNodes(round, group.name, (nodes) => {
        const { names } = input.snapshot.resources;
        const holds = counted.filter(({ kind }) => {
          const no = newNodeVerdict(input.scheduler, kind, nodes);
          return no === null || PASSING.has(no.plugin);
        });
        return {
          cost: costs.of(group.name),
          free: Object.fromEntries([...nodes[0]!.free].map((amount, i) => [names[i]!, amount])),
          holds: new Set(holds.map(({ kind }) => kind)),
        };
      }),
    ];
  });
  return fractionalBound(counted, offers);
}
