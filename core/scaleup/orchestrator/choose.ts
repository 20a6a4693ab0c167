import { nonEmpty } from '../../model/values/present.ts';
import { firstItem, getExisting, required } from '../../model/values/existing.ts';
import type { Consideration, ConsideredOption } from '../../model/decision.ts';
import { byName, type GroupName } from '../../model/values/names.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import { rounded } from '../../model/values/rounded.ts';
import type { NodeInfo, SnapshotChange } from '../../model/snapshot/snapshot.ts';
import { schedulerChecksLeft } from '../../scheduling/budgeted-scheduler.ts';
import type { Estimate } from '../../estimator/estimator.ts';
import type { Placement } from '../../estimator/placing.ts';
import type { Choice, Chooser } from '../expanders/chooser.ts';
import { wasteOf } from '../expanders/by-figure.ts';
import type { Option } from '../expanders/expander.ts';
import { estimateFor } from './estimate-group.ts';
import { type ScaleUpCandidate, scaleUpCandidates, partOf, totalRequests } from './expansion-options.ts';
import type { Ledger } from './ledger.ts';
import type { PlanInput } from './plan-input.ts';

/** A choice among the groups that would help. */
export interface Expansion {
  readonly consideration: Omit<Consideration, 'split'>;
  /** The new ones. */
  readonly nodes: readonly NodeInfo[];
  readonly placements: readonly Placement[];
  /** Groups that might have helped but were not estimated, since `maxBinpackingTime` was used up. */
  readonly notEstimated: readonly GroupName[];
}

/** Estimates below this many nodes are made in full, so that their figures can be shown. */
const WORTH_STOPPING = 50;

/**
 * Estimates every group that would help and lets the expanders choose one; none when none helps. The new nodes and their
 * pods are then in the snapshot, and the ledger counts them.
 */
export function chooseExpansion(input: PlanInput, ledger: Ledger, random: () => number): readonly Expansion[] {
  const { chooser, snapshot } = input;
  const scratch = new ScratchEstimates(input);
  const { candidates, options, favorites, notEstimated } = estimateAll(input, ledger, scratch, random);
  if (options.length === 0) {
    scratch.clear();
    return [];
  }
  options.sort((a, b) => byName(a.group.name, b.group.name));
  const choice = chooser.choose(options, random);
  const { group } = choice.winner;
  const chosen = required(
    candidates.find(({ proposers }) => proposers.includes(group)),
    group.name,
  );
  const winner = winnerOf(choice, chosen, favorites);
  const make = (): Estimate => estimateFor(input, ledger, { ...chosen, preferred: winner });
  const { nodes, placements } = favorites.has(winner) ? scratch.settle(chosen, make) : scratch.show(chosen, make);
  snapshot.commit();
  ledger.add(nodes);
  const consideration = {
    options: options.map((option) => describe(option, chooser)),
    winner: winner.name,
    why: choice.why,
    ...nonEmpty({ unanswered: choice.unanswered.map((ask) => ask.group.name) }),
  };
  return [{ consideration, nodes, placements, notEstimated }];
}

interface CandidateEstimates {
  readonly candidates: readonly ScaleUpCandidate[];
  readonly options: Option[];
  /** The preferred groups among proposers of the same nodes: the nodes were estimated for them. */
  readonly favorites: ReadonlySet<NodeGroup>;
  readonly notEstimated: readonly GroupName[];
}

/** The options of all candidates. Of the estimates on the snapshot the best one is kept. */
function estimateAll(
  input: PlanInput,
  ledger: Ledger,
  scratch: ScratchEstimates,
  random: () => number,
): CandidateEstimates {
  const candidates = scaleUpCandidates(input, ledger);
  const { stopRule } = input.chooser;
  const checksLeft = schedulerChecksLeft(input.scheduler, input.scenario.options.maxBinpackingTime);
  const options: Option[] = [];
  const favorites = new Set<NodeGroup>();
  const notEstimated: GroupName[] = [];
  let best = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (options.length > 0 && checksLeft() <= 0) {
      notEstimated.push(...candidate.proposers.map(({ name }) => name));
      continue;
    }
    const part = partOf(candidate, 0);
    const hopeless = (nodes: number): boolean =>
      stopRule !== null && nodes > WORTH_STOPPING && stopRule.bound({ ...part, nodes }) > best;
    const favorite = favoriteOf(input, candidate, random);
    favorites.add(favorite);
    const estimate = scratch.show(candidate, () =>
      estimateFor(input, ledger, { ...candidate, preferred: favorite }, hopeless),
    );
    const proposed = optionsOf(input, candidate, estimate);
    options.push(...proposed);
    if (stopRule !== null && !estimate.incomplete && proposed.length > 0) {
      const score = Math.min(...proposed.map(stopRule.score));
      if (score < best) {
        best = score;
        scratch.keep();
      }
    }
  }
  return { candidates, options, favorites, notEstimated };
}

/** The winning group; of equal groups that share their nodes, the group that the nodes were split for. */
const winnerOf = (
  { winner, equals }: Choice,
  { proposers }: ScaleUpCandidate,
  favorites: ReadonlySet<NodeGroup>,
): NodeGroup => (equals.find(({ group }) => favorites.has(group) && proposers.includes(group)) ?? winner).group;

/** The group of a candidate that the expanders prefer: where nodes are split over equal sizes, it comes first. */
function favoriteOf(input: PlanInput, candidate: ScaleUpCandidate, random: () => number): NodeGroup {
  const { proposers } = candidate;
  const group = firstItem(proposers);
  if (proposers.length === 1) {
    return group;
  }
  const { groups: _, ...part } = partOf(candidate, 1);
  const alike = { ...part, group, waste: 0, incomplete: false };
  return input.chooser.preferred(
    proposers.map((proposer) => proposedBy(input, candidate, proposer, alike)),
    random,
  );
}

/** An estimate as an option of each proposing group; none where no node is added. */
function optionsOf(
  input: PlanInput,
  candidate: ScaleUpCandidate,
  { nodes, placements, incomplete }: Estimate,
): readonly Option[] {
  if (nodes.length === 0) {
    return [];
  }
  const { template, members, proposers } = candidate;
  // Pods on older nodes use nothing of the new nodes.
  const fresh = new Set(nodes);
  const requested = incomplete ? candidate.requested : totalRequests(placements.filter(({ info }) => fresh.has(info)));
  const option = {
    group: firstItem(members),
    nodes: nodes.length,
    pods: placements.reduce((sum, { count }) => sum + count, 0),
    waste: wasteOf(requested, template.node.capacity, nodes.length),
    incomplete,
    node: template.node,
    requested,
  };
  return proposers.map((group) => proposedBy(input, candidate, group, option));
}

/** The option of one of the proposing groups: nodes of similar groups may differ a little. */
function proposedBy(
  { templates }: PlanInput,
  { members }: ScaleUpCandidate,
  group: NodeGroup,
  option: Omit<Option, 'similar'>,
): Option {
  const { node } = getExisting(templates, group.name);
  return {
    ...option,
    group,
    node,
    waste: wasteOf(option.requested, node.capacity, option.nodes),
    similar: members.filter((member) => member !== group),
  };
}

function describe(option: Option, { figures }: Chooser): ConsideredOption {
  const { group, nodes, pods, waste, similar, incomplete } = option;
  return {
    group: group.name,
    nodes,
    pods,
    waste: rounded(waste),
    similarGroups: similar.map(({ name }) => name),
    incomplete: incomplete || undefined,
    ...figures(option),
  };
}

interface ShownEstimate {
  readonly candidate: ScaleUpCandidate;
  readonly estimate: Estimate;
  readonly schedulerChecks: number;
}

/** Shows the estimates of one decision on the snapshot, one at a time, each in a fork of its own. */
export class ScratchEstimates {
  readonly #input: Pick<PlanInput, 'snapshot' | 'scheduler'>;
  #shown: ShownEstimate | null = null;
  #kept: ShownEstimate | null = null;
  #keptChanges: readonly SnapshotChange[] = [];

  constructor(input: Pick<PlanInput, 'snapshot' | 'scheduler'>) {
    this.#input = input;
  }

  /** Makes an estimate, in place of the one that is shown. */
  show(candidate: ScaleUpCandidate, make: () => Estimate): Estimate {
    this.clear();
    const { snapshot, scheduler } = this.#input;
    const before = scheduler.schedulerChecks();
    snapshot.fork();
    const estimate = make();
    this.#shown = { candidate, estimate, schedulerChecks: scheduler.schedulerChecks() - before };
    return estimate;
  }

  /** Remembers the estimate that is shown, and none but that: it can then be shown again without being made again. */
  keep(): void {
    this.#kept = this.#shown;
  }

  /**
   * The estimate of a candidate, in place of the one that is shown: the shown estimate itself, the kept one, or a new
   * one.
   */
  settle(candidate: ScaleUpCandidate, make: () => Estimate): Estimate {
    if (this.#shown?.candidate === candidate) {
      return this.#shown.estimate;
    }
    const kept = this.#kept;
    if (kept?.candidate !== candidate) {
      return this.show(candidate, make);
    }
    this.clear();
    const { snapshot, scheduler } = this.#input;
    snapshot.fork();
    snapshot.redo(this.#keptChanges);
    scheduler.addSchedulerChecks(kept.schedulerChecks);
    this.#shown = kept;
    return kept.estimate;
  }

  /** Takes the estimate that is shown off the snapshot. */
  clear(): void {
    const shown = this.#shown;
    if (shown === null) {
      return;
    }
    const changes = this.#input.snapshot.revert();
    this.#shown = null;
    if (shown === this.#kept) {
      this.#keptChanges = changes;
    }
  }
}
