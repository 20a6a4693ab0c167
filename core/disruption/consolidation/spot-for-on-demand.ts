import type { Node } from '../../model/cluster/node.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import type { GroupName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { valueOf } from '../../model/values/records.ts';
import { addTime, durationMs, type DurationMs } from '../../model/values/time.ts';
import type { Load } from '../../estimator/demand.ts';
import { wasteOf } from '../../scaleup/expanders/by-figure.ts';
import { chooserFor } from '../../scaleup/expanders/chooser.ts';
import type { Option } from '../../scaleup/expanders/expander.ts';
import { totalRequests } from '../../scaleup/orchestrator/expansion-options.ts';
import type { TrialCandidate } from '../../scaledown/candidates.ts';
import { prefersNode } from '../../scheduling/prefers-node.ts';
import { CONSOLIDATION_MESSAGES } from '../../words/consolidation.ts';
import { purchaseOptionOf } from './purchase-option.ts';

/** A number of new nodes of a group that take all pods without a place on existing nodes. */
export interface Alternative {
  readonly group: NodeGroup;
  readonly node: Node;
  readonly count: number;
}

type Candidates = readonly Pick<TrialCandidate, 'node' | 'group'>[];

const areOnDemand = (candidates: Candidates): Candidates =>
  candidates.filter(({ node, group }) => purchaseOptionOf(node, group) === 'on-demand');

const isSpot = ({ group, node }: Candidates[number]): boolean => purchaseOptionOf(node, group) === 'spot';

/** Would Spot nodes take the place of on-demand nodes? */
export const isToSpot = (candidates: Candidates, by: Pick<Alternative, 'group' | 'node'>): boolean =>
  isSpot(by) && areOnDemand(candidates).length > 0;

/**
 * The Spot groups that the expanders would choose for these pods now; none where they would choose an on-demand group as
 * readily. Whether an on-demand node was launched because Spot capacity was short is not remembered: the expanders alone say
 * what its pods should run on (decision 38).
 *
 * @param alternatives all of them, of any purchase option.
 */
export function spotGroupsChosen(
  alternatives: readonly Alternative[],
  rest: readonly Load[],
  scenario: Scenario,
): ReadonlySet<GroupName> {
  const requested = totalRequests(rest);
  const pods = rest.reduce((sum, { count }) => sum + count, 0);
  const options = alternatives.map(({ group, node, count }): Option => {
    const waste = wasteOf(requested, node.capacity, count);
    return { group, node, nodes: count, pods, waste, incomplete: false, similar: [], requested };
  });
  if (options.length === 0) {
    return new Set();
  }
  const { equals, unanswered } = chooserFor(scenario).choose(options, () => 0);
  if (unanswered.length > 0 || !equals.every(isSpot)) {
    return new Set();
  }
  return new Set(equals.map(({ group }) => group.name));
}

/**
 * Why on-demand nodes are not replaced by Spot nodes of a group, whatever the expanders would choose, in words.
 *
 * @param rest the pods that move to the new nodes.
 */
export function reasonAgainstSpot(
  scenario: Scenario,
  candidates: Candidates,
  by: Pick<Alternative, 'group' | 'node'>,
  rest: readonly Load[],
): string | null {
  const { name, price } = by.group;
  const onDemand = areOnDemand(candidates);
  if (price === null || onDemand.some(({ group }) => group.price === null)) {
    return CONSOLIDATION_MESSAGES.spotWithoutPrice();
  }
  const left = untilSettled(name, scenario);
  if (left > 0) {
    return CONSOLIDATION_MESSAGES.spotFailedLately(name, left);
  }
  if (rest.some(({ kind }) => onDemand.some(({ node }) => prefersNode(kind.spec, node, by.node)))) {
    return CONSOLIDATION_MESSAGES.podsPreferOnDemand(name);
  }
  return null;
}

/**
 * The time until launches of the group have not failed for the longest backoff. A backoff that has ended proves nothing, and pods
 * that go to and fro restart each time.
 */
function untilSettled(group: GroupName, { state, options, now }: Scenario): DurationMs {
  const until = mapOptional(valueOf(state.backoff, group), ({ lastFailure }) =>
    addTime(lastFailure, options.maxNodeGroupBackoffDuration),
  );
  return durationMs(Math.max(0, (until ?? now) - now));
}
