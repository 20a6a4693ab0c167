import { hasGpu } from '../expanders/price.ts';
import type { GroupName } from '../../model/values/names.ts';
import { providerOf } from '../../model/provider.ts';
import { CPU } from '../../model/values/resources.ts';
import type { Increase } from '../../model/decision.ts';
import type { Change } from '../../model/snapshot/snapshot.ts';
import { planGangs } from '../orchestrator/gangs.ts';
import { type Costs, fractionalBound, type Offer } from '../../nodegroups/cost.ts';
import { type BudgetedScheduler, budgeted } from '../../scheduling/budgeted-scheduler.ts';
import { type Demand, keepsApart } from '../../estimator/demand.ts';
import { type PackingMethod, FIRST_FIT_DECREASING, OTHER_METHODS } from '../../estimator/packing-method.ts';
import { type Load, podsByKind } from '../../estimator/load.ts';
import { opensNodes } from '../../estimator/placing.ts';
import type { Plan } from '../orchestrator/salvo.ts';
import { Ledger } from '../orchestrator/ledger.ts';
import { onFreshNodes } from '../orchestrator/new-nodes.ts';
import { type PlanInput, USUAL, type Variant } from '../orchestrator/plan-input.ts';
import { isPassing, newNodeVerdict } from '../orchestrator/verdict.ts';

/** A plan, and what it costs. */
interface Priced {
  readonly plan: Plan;
  /** USD per hour. */
  readonly cost: number;
}

/** A plan that was made. */
export interface Proposal extends Priced {
  readonly method: PackingMethod;
  /** In words: how it was packed, and with which groups. */
  readonly name: string;
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
 * What is spent on it is counted in scheduler checks, so that the same scenario always tries the same plans: a plan is
 * not begun when it may take more than is left of `packingImprovementBudget`.
 *
 * The snapshot is left with the usual plan in a fork of its own when no other was tried, else without any.
 *
 * @param wanting everything that wants a node.
 */
export function propose(input: PlanInput, wanting: readonly Demand[], costs: Costs): Proposals {
  const { snapshot, scenario } = input;
  const { packingImprovementRatio: ratio, packingImprovementBudget: budget } = scenario.options;
  const scheduler = budgeted(input.scheduler);
  const make = (variant: Variant, name: string): Proposal => {
    snapshot.fork();
    const plan = planGangs({ ...input, scheduler, variant }, wanting);
    return { plan, method: variant.method, name, cost: costOf(plan.increases, costs), changes: null };
  };
  const usual = make(USUAL, FIRST_FIT_DECREASING.name);
  const spent = scheduler.schedulerChecks();
  const loads = loadsOf(usual.plan);
  const usable = scenario.nodeGroups.filter(({ name }) => input.templates.has(name));
  if (usual.plan.increases.length === 0 || spent + loads.length * usable.length > budget) {
    return { usual, cheaper: [], bound: null, tried: 0 };
  }
  const bound = boundOf(input, loads, costs);
  const search = new Search(input, usual, { scheduler, make, spent, fitting: loads.length * nodesAdded(usual.plan) });
  if (ratio === 0 || usual.cost <= bound * ratio || search.isOver()) {
    return { usual, cheaper: [], bound, tried: 0 };
  }
  const changes = snapshot.revert();
  otherMethods(input, search);
  otherGroups(input, search);
  return { usual: { ...usual, changes }, cheaper: search.cheaper(), bound, tried: search.tried };
}

/** Packs in the other ways. */
function otherMethods({ demands }: PlanInput, search: Search): void {
  const apart = demands.some(({ kind }) => keepsApart(kind));
  const alike = demands.length === 1 && !opensNodes(demands[0]!.kind);
  // Without pods that keep apart it is the usual order.
  for (const method of OTHER_METHODS.filter(({ order }) => apart || order !== 'sum alone')) {
    if (alike) {
      search.asUsual(method);
    } else {
      search.attempt({ ...USUAL, method }, method.name);
    }
  }
}

/** Packs as usual, and in the best way found so far, with other groups first and without the group that won. */
function otherGroups({ scenario }: PlanInput, search: Search): void {
  if (!mayMix(scenario.options.expander)) {
    return;
  }
  const methods = [
    FIRST_FIT_DECREASING,
    ...search
      .cheaper()
      .slice(0, 1)
      .map(({ method }) => method),
  ];
  const { winner, options } = search.usual.plan.considered[0]!;
  const others = options.map(({ group }) => group).filter((group) => group !== winner);
  for (const method of new Set(methods)) {
    for (const first of others.slice(0, FIRST_GROUPS)) {
      search.attempt({ ...USUAL, method, first }, `${method.name}, ${first} first`);
    }
    if (others.length > 0) {
      search.attempt({ ...USUAL, method, without: new Set([winner]) }, `${method.name}, without ${winner}`);
    }
  }
}

/** How other plans are made, and what that costs. */
interface Means {
  readonly scheduler: BudgetedScheduler;
  readonly make: (variant: Variant, name: string) => Proposal;
  /** Scheduler checks of the usual plan. */
  readonly spent: number;
  /** What a fit that scores every node for every kind spends besides. */
  readonly fitting: number;
}

/** Makes other plans as long as the budget lasts, and keeps those that are better than the usual one. */
class Search {
  readonly #input: PlanInput;
  readonly usual: Proposal;
  readonly #means: Means;
  /** The most that one plan is taken to spend. */
  readonly #each: number;
  #spent: number;
  readonly #good: Proposal[] = [];
  tried = 0;

  constructor(input: PlanInput, usual: Proposal, means: Means) {
    this.#input = input;
    this.usual = usual;
    this.#means = means;
    this.#spent = means.spent;
    this.#each = means.spent + means.fitting;
  }

  /** May the next plan take more than is left of the budget? */
  isOver(): boolean {
    return this.#spent + this.#each > this.#input.scenario.options.packingImprovementBudget;
  }

  /**
   * Counts a plan that need not be made: pods of one kind, which open no node for each other, fill one new node after
   * another by every method, so it is the usual one.
   */
  asUsual(method: PackingMethod): void {
    if (!this.isOver()) {
      this.#count(method, this.#means.spent);
    }
  }

  #count({ fit }: PackingMethod, schedulerChecks: number): void {
    this.tried += 1;
    this.#spent += schedulerChecks + (fit === 'first' ? 0 : this.#means.fitting);
  }

  /** Makes a plan and takes it off the snapshot. */
  attempt(variant: Variant, name: string): void {
    if (this.isOver()) {
      return;
    }
    const { scheduler, make } = this.#means;
    const before = scheduler.schedulerChecks();
    const proposal = make(variant, name);
    const changes = this.#input.snapshot.revert();
    this.#count(variant.method, scheduler.schedulerChecks() - before);
    if (isBetter(proposal, this.usual, this.#input)) {
      this.#good.push({ ...proposal, changes });
    }
  }

  /** Those that are better, the cheapest first; of equal ones that which was tried first: sorting is stable. */
  cheaper(): readonly Proposal[] {
    return this.#good.toSorted((a, b) => a.cost - b.cost);
  }
}

/** Is it cheaper, without a place less? */
const isBetter = (proposal: Proposal, usual: Proposal, input: PlanInput): boolean =>
  isCheaper(proposal, usual, input) && placesAll(proposal.plan, usual.plan);

/** Is it cheaper, without more nodes that should stay free for others? */
export function isCheaper({ plan, cost }: Priced, usual: Priced, input: PlanInput): boolean {
  // Larger nodes are not worth it for what is nearly the same cost, no more than to the expanders.
  const larger = largestNode(plan, input) > largestNode(usual.plan, input);
  const most = larger ? usual.cost / (1 + input.scenario.options.nearTieRatio) : usual.cost;
  return cost < most - TOLERANCE && gpuNodesOf(plan, input) <= gpuNodesOf(usual.plan, input);
}

export const nodesAdded = ({ increases }: Plan): number => increases.reduce((sum, { from, to }) => sum + to - from, 0);

/**
 * Nodes with GPUs are a last resort for pods without, however cheap: no other plan has more of them than the usual one.
 */
const gpuNodesOf = ({ increases }: Plan, { templates, scenario }: PlanInput): number =>
  increases.reduce((sum, { group, from, to }) => {
    const template = templates.get(group)!;
    return hasGpu(template.node, providerOf(template, scenario)) ? sum + to - from : sum;
  }, 0);

/** The CPU of the largest node that the plan adds. */
const largestNode = ({ increases }: Plan, { templates }: PlanInput): number =>
  Math.max(0, ...increases.map(({ group }) => templates.get(group)!.node.capacity[CPU] ?? 0));

/** Sums of prices are not exact. */
const TOLERANCE = 1e-9;

/** Who chooses by price or waste wants the cheapest; who chooses by priority or at random has other reasons. */
const mayMix = (expanders: readonly string[]): boolean =>
  expanders.length > 0 && expanders.every((name) => name === 'price' || name === 'least-waste');

/** USD per hour of the nodes that are added. */
export const costOf = (increases: readonly Increase[], costs: Costs): number =>
  increases.reduce((sum, { group, from, to }) => sum + (to - from) * costs.of(group), 0);

function placesAll(plan: Plan, usual: Plan): boolean {
  const placed = podsByKind(plan.placements);
  return loadsOf(usual).every(({ kind, count }) => (placed.get(kind) ?? 0) >= count);
}

/** The pods of a plan, by kind. */
const loadsOf = ({ placements }: Plan): readonly Load[] =>
  [...podsByKind(placements)].map(([kind, count]) => ({ kind, count }));

/**
 * Pods that new nodes may open old ones for need not pay for a new one, where there are old ones: they are left out.
 */
function boundOf(input: PlanInput, loads: readonly Load[], costs: Costs): number {
  const ledger = new Ledger(input);
  const paying = input.snapshot.nodeCount === 0 ? loads : loads.filter(({ kind }) => !opensNodes(kind));
  const offers = input.scenario.nodeGroups
    .filter((group) => ledger.skipOf(group) === null)
    .map(({ name }) => offerOf(input, ledger, name, paying, costs));
  return fractionalBound(paying, offers);
}

/** A new node of a group, and which of the pods it would take. */
const offerOf = (input: PlanInput, ledger: Ledger, group: GroupName, loads: readonly Load[], costs: Costs): Offer =>
  onFreshNodes(input, ledger, group, (nodes) => {
    const { names } = input.snapshot.resources;
    const holds = loads.filter(({ kind }) => {
      const no = newNodeVerdict(input.scheduler, kind, nodes);
      return no === null || isPassing(no);
    });
    return {
      cost: costs.of(group),
      free: Object.fromEntries([...nodes[0]!.free].map((amount, i) => [names[i]!, amount])),
      holds: new Set(holds.map(({ kind }) => kind)),
    };
  });
