import { getExisting, getOwn } from '../../model/values/existing.ts';
import { addCount } from '../../model/values/counts.ts';
import { getOrMake } from '../../model/values/get-or-make.ts';
import { byNumber } from '../../model/values/sorted.ts';
import { valueOf } from '../../model/values/records.ts';
import { about } from '../../model/fault.ts';
import type { GroupName } from '../../model/values/names.ts';
import { HOSTNAME_LABEL } from '../../model/cluster/node.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { Options } from '../../model/options.ts';
import { CPU, MEMORY, type Resources } from '../../model/values/resources.ts';
import { canonical } from '../../model/snapshot/pod-kind.ts';
import { type Demand, type Load, loadsIn, podCount } from '../../estimator/demand.ts';
import type { PartOfOption } from '../expanders/expander.ts';
import type { Ledger } from './ledger.ts';
import { newNodeVerdicts } from './new-nodes.ts';
import { isAllOrNothing, type PlanInput } from './plan-input.ts';
import type { GroupTemplate } from '../../nodegroups/node-templates.ts';
import { atNextPrice, isCoveredAlike, nodesAtNextPrice } from '../../nodegroups/covered-prices.ts';

/** A way to help: new nodes that these similar groups share. Several groups may propose the same candidate. */
export interface ScaleUpCandidate {
  /** In the order of their names. */
  readonly members: readonly NodeGroup[];
  readonly proposers: readonly NodeGroup[];
  readonly template: GroupTemplate;
  /** The demands that a fresh node of any of the groups would take. */
  readonly demands: readonly Demand[];
  /** The sum of their requests. */
  readonly requested: Resources;
  readonly allOrNothing: boolean;
  /** The most nodes: as many as the price of the groups covers. Infinite where it covers all, or does not decide. */
  readonly mostNodes: number;
}

/**
 * Every candidate, the most promising ones for the first expander first, so that others can be given up early. Groups
 * with interrupted instances are candidates only if no other group is.
 */
export function scaleUpCandidates(input: PlanInput, ledger: Ledger): readonly ScaleUpCandidate[] {
  const { scenario, registry } = input;
  const found = candidatesIn(input, ledger, false);
  if (
    found.length > 0 ||
    !scenario.nodeGroups.some(({ name }) => registry.groups.get(name)?.shortage?.lastResort === true)
  ) {
    return found;
  }
  return candidatesIn(input, ledger, true);
}

function candidatesIn(input: PlanInput, ledger: Ledger, asLastResort: boolean): readonly ScaleUpCandidate[] {
  const { stopRule } = input.chooser;
  const usable = input.scenario.nodeGroups
    .filter((group) => ledger.skipOf(group, asLastResort) === null && comesWhole(input, ledger, group))
    .map((group) => atNextPrice(group, ledger.covered()));
  const holdable = new Map(
    usable.map((group) => [group.name, about({ kind: 'group', group: group.name }, () => holdableBy(input, group))]),
  );
  return (
    candidatesAmong(input, ledger, usable, holdable)
      .map((candidate) => ({
        candidate,
        bound: stopRule?.bound(partOf(candidate, Math.min(fewestNodes(candidate), candidate.mostNodes))) ?? 0,
      }))
      // Infinite ones, of which the expander knows nothing, come last.
      .sort((a, b) => byNumber(a.bound, b.bound))
      .map(({ candidate }) => candidate)
  );
}

/** May an all-or-nothing group grow now? One that is larger than what is left of an evaluation waits to come alone. */
function comesWhole(input: PlanInput, ledger: Ledger, group: NodeGroup): boolean {
  if (!isAllOrNothing(input, group)) {
    return true;
  }
  // A sum over all groups: not for groups that it says nothing about.
  const left = ledger.nodesLeft();
  return group.maxSize - ledger.sizeOf(group.name) <= left || left === input.scenario.options.maxNodesPerScaleup;
}

/** The demands that each group would hold. */
type Holdable = ReadonlyMap<GroupName, readonly Demand[]>;

/** The demands that a fresh, otherwise empty node of the group would take one pod of. */
function holdableBy(input: PlanInput, group: NodeGroup): readonly Demand[] {
  const { demands } = input;
  const verdicts = newNodeVerdicts(
    input,
    group.name,
    demands.map(({ kind }) => kind),
  );
  return demands.filter((_, i) => verdicts[i] === null);
}

/** Makes one candidate for all groups that would share the same nodes for the same pods. */
function candidatesAmong(
  input: PlanInput,
  ledger: Ledger,
  usable: readonly NodeGroup[],
  holdable: Holdable,
): readonly ScaleUpCandidate[] {
  const candidates = new Map<string, ScaleUpCandidate & { readonly proposers: NodeGroup[] }>();
  for (const group of usable) {
    const held = getExisting(holdable, group.name);
    if (held.length === 0) {
      continue;
    }
    const mostNodes = mostNodesOf(input, ledger, group);
    const members = usable.filter(
      (other) =>
        other === group ||
        (sharesWith(input, group, other, holdable) &&
          (mostNodes === Number.POSITIVE_INFINITY || isCoveredAlike(group, other, ledger.covered()))),
    );
    const key = `${members.map(({ name }) => name).join('\n')}\n\n${held.map(({ kind }) => kind.id).join()}`;
    const candidate = getOrMake(candidates, key, () => ({
      members,
      proposers: [],
      template: getExisting(input.templates, group.name),
      demands: held,
      requested: totalRequests(loadsIn(held)),
      allOrNothing: isAllOrNothing(input, group),
      mostNodes,
    }));
    candidate.proposers.push(group);
  }
  return [...candidates.values()];
}

/** The number of nodes that the next price covers, where price decides: the other nodes are chosen at the price after that. */
function mostNodesOf(input: PlanInput, ledger: Ledger, group: NodeGroup): number {
  if (!pricesDecide(input.scenario.options) || isAllOrNothing(input, group)) {
    return Number.POSITIVE_INFINITY;
  }
  return nodesAtNextPrice(group, ledger.covered());
}

/** Does price decide, and may several choices be made? A single choice that ends with its price would leave most pods waiting. */
const pricesDecide = ({ expander, salvoScaleUp }: Options): boolean => salvoScaleUp && expander.includes('price');

/** Is the other group similar to `group`, and does it hold every demand that `group` would hold? */
function sharesWith(input: PlanInput, group: NodeGroup, other: NodeGroup, holdable: Holdable): boolean {
  const { scenario, templates, similarity } = input;
  if (
    !scenario.options.balanceSimilarNodeGroups ||
    isAllOrNothing(input, group) ||
    isAllOrNothing(input, other) ||
    !similarity.isSimilar(getExisting(templates, group.name), getExisting(templates, other.name))
  ) {
    return false;
  }
  return isPartOf(getExisting(holdable, group.name), getExisting(holdable, other.name));
}

/** The part of an option that is known once its candidate needs this number of nodes. */
export const partOf = ({ proposers, template, demands, requested }: ScaleUpCandidate, nodes: number): PartOfOption => ({
  groups: proposers,
  node: template.node,
  nodes,
  pods: podCount(demands),
  requested,
});

/** Are `some` all among `others`? Both are parts of one list, in its order. */
function isPartOf(some: readonly Demand[], others: readonly Demand[]): boolean {
  let i = 0;
  for (const other of others) {
    i += Number(some[i] === other);
  }
  return i === some.length;
}

/** The least number of nodes that it can take: for the resources, and for pods that keep apart from each other. */
function fewestNodes({ template, demands, requested }: ScaleUpCandidate): number {
  let fewest = 1;
  for (const resource of [CPU, MEMORY]) {
    const allocatable = template.node.allocatable[resource] ?? 0;
    if (allocatable > 0) {
      fewest = Math.max(fewest, Math.ceil((requested[resource] ?? 0) / allocatable));
    }
  }
  const apart = new Map<string, number>();
  for (const { kind, pods } of demands) {
    for (const term of kind.spec.podAntiAffinity) {
      if (term.topologyKey === HOSTNAME_LABEL) {
        const key = canonical(term.labelSelector);
        addCount(apart, key, pods.length);
      }
    }
  }
  return Math.max(fewest, ...apart.values());
}

/** The sum of the pods' requests. */
export function totalRequests(loads: readonly Load[]): Resources {
  const total: Record<string, number> = {};
  for (const { kind, count } of loads) {
    for (const name in kind.requests) {
      total[name] = (valueOf(total, name) ?? 0) + getOwn(kind.requests, name) * count;
    }
  }
  return total;
}
