import { firstItem } from '../../model/values/existing.ts';
import { isHeld } from '../../model/cluster/node-condition.ts';
import type { Consideration } from '../../model/decision.ts';
import { hasGpus } from '../../model/accelerators.ts';
import { providerOf } from '../../model/provider.ts';
import { keepsApart, loadsIn } from '../../estimator/demand.ts';
import { mixOf, type NodeOffer } from '../../estimator/mix.ts';
import { opensNodes } from '../../estimator/placing.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import { groupsThatNominate } from '../../placement/nodes-awaiting-pods.ts';
import { type Costs, costsOf } from '../../nodegroups/cost.ts';
import type { Expansion } from './choose.ts';
import { addMixed } from './estimate-group.ts';
import { type ScaleUpCandidate, scaleUpCandidates } from './expansion-options.ts';
import type { Ledger } from './ledger.ts';
import type { PlanInput } from './plan-input.ts';

/** The groups whose new nodes await the pods that are nominated to them. */
function awaitingGroups(scenario: PlanInput['scenario']): ReadonlySet<GroupName> {
  const nominating = groupsThatNominate(scenario);
  const awaiting = scenario.nodeGroups.filter(({ template }) => template !== null && isHeld(template.node));
  return nominating.intersection(new Set(awaiting.map(({ name }) => name)));
}

/**
 * May a plan mix node types? Where price comes first, and pods come to the nodes that the plan has for them (`plannedPlacement`):
 * kube-scheduler would give pods that ask for much CPU the nodes with much memory, and the plan would be short of nodes (decision 44).
 */
export const mayMix = ({ scenario }: Pick<PlanInput, 'scenario'>): boolean =>
  scenario.options.salvoScaleUp && scenario.options.expander[0] === 'price' && awaitingGroups(scenario).size > 0;

/** A plan without a mix, which a mix has to be better than. */
export interface MixTarget {
  /** Its cost, USD per hour. */
  readonly cost: number;
  /** A mix is to cost less, USD per hour. */
  readonly most: number;
  /** The options of its first choice. */
  readonly options: Consideration['options'];
}

/** A candidate, as an offer of nodes. */
interface CandidateOffer extends NodeOffer<PodKind> {
  readonly candidate: ScaleUpCandidate;
}

/**
 * Adds nodes of several types to the snapshot, in place of one choice after another (`mixOf`).
 *
 * @returns `null` where a group has a price for some nodes only, which are to be taken first; none where there is no cheaper mix.
 */
export function expandMixed(
  input: PlanInput,
  ledger: Ledger,
  { cost: usual, most, options }: MixTarget,
): readonly Expansion[] | null {
  const demands = input.demands.filter(({ kind }) => !opensNodes(kind) && !keepsApart(kind));
  const candidates = scaleUpCandidates({ ...input, demands }, ledger);
  if (candidates.some(({ mostNodes }) => mostNodes !== Number.POSITIVE_INFINITY)) {
    return null;
  }
  const costs = costsOf(input.scenario.nodeGroups, input.templates);
  const awaiting = awaitingGroups(input.scenario);
  const offers = candidates
    .filter(({ members }) => members.every(({ name }) => awaiting.has(name)))
    .flatMap((candidate) => offerOf(input, ledger, costs, candidate) ?? []);
  const loads = loadsIn(demands).filter(({ kind }) => offers.some(({ holds }) => holds.has(kind)));
  const mix = mixOf(loads, offers);
  const cost = mix?.reduce((sum, { offer, nodes }) => sum + offer.cost * nodes, 0) ?? 0;
  if (mix === null || cost >= most) {
    return [];
  }
  const used = offers.filter((offer) => mix.some((alike) => alike.offer === offer));
  const expansions: Expansion[] = [];
  for (const { candidate } of used) {
    const preferred = firstItem(candidate.proposers);
    const own = mix.filter(({ offer }) => offer.candidate === candidate);
    const { nodes, placements } = addMixed(input, ledger, { ...candidate, preferred }, own);
    ledger.add(nodes);
    const why = `price: part of a mix of ${used.length} groups; without a mix the new nodes cost $${usual.toFixed(3)}/h`;
    if (nodes.length > 0) {
      const consideration = { options, winner: preferred.name, why };
      expansions.push({ consideration, nodes, placements, notEstimated: [] });
    }
  }
  return expansions;
}

/** Nodes of a candidate that may be in a mix; `null` where they may not. */
function offerOf(input: PlanInput, ledger: Ledger, costs: Costs, candidate: ScaleUpCandidate): CandidateOffer | null {
  const { members, template, allOrNothing, demands } = candidate;
  const cost = members.reduce((sum, { name, price }) => sum + (price ?? costs.of(name)), 0) / members.length;
  if (allOrNothing || cost === 0 || hasGpus(template.node, providerOf(template, input.scenario))) {
    return null;
  }
  return {
    candidate,
    cost,
    free: template.free,
    holds: new Set(demands.map(({ kind }) => kind)),
    most: members.reduce((sum, { name, maxSize }) => sum + Math.max(0, maxSize - ledger.sizeOf(name)), 0),
  };
}
