import type { Increase } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import type { Demand } from '../../estimator/demand.ts';
import { type Load, podsByKind } from '../../estimator/load.ts';
import { OTHER_METHODS, type PlacesMethod } from '../../estimator/packing-method.ts';
import type { Placement } from '../../estimator/placing.ts';
import { addTemplateNode, type GroupTemplate } from '../../nodegroups/node-templates.ts';
import { type FitInput, fitExisting } from '../reservations/fit-existing.ts';
import { reservationsIn } from '../reservations/reservations.ts';
import type { Proposal } from './alternatives.ts';

/** How the reserved places of groups are found again, for groups where not as usual. */
type Methods = ReadonlyMap<GroupName, PlacesMethod>;

/** A proposal beside the places that pods have found on existing and upcoming nodes. */
export interface ToVerify {
  /** As these were found. The snapshot shows none of them. */
  readonly fit: Omit<FitInput, 'reservations'>;
  readonly proposal: Proposal;
  /** Of these nodes and those of the proposal. */
  readonly placements: readonly Placement[];
  /** Groups that do not grow may have reservations as well. */
  readonly hasReservations: boolean;
}

/**
 * By which methods the next evaluation finds all places of a proposal again; `null` where by none. Tried are the
 * proposal's own, and those of earlier plans.
 *
 * @param thoroughly tries all other methods, too, and last of all node by node.
 */
export function methodsThatComeTrue(given: ToVerify, thoroughly: boolean): Methods | null {
  const { fit, proposal, placements, hasReservations } = given;
  const { increases } = proposal.plan;
  const groups = hasReservations
    ? new Set(placements.flatMap(({ info }) => info.group ?? []))
    : new Set(increases.map(({ group }) => group));
  const ways = new Set([
    proposal.method,
    ...[...groups].flatMap((group) => fit.methods.get(group)?.method ?? []),
    ...(thoroughly ? OTHER_METHODS : []),
  ]);
  const tries: ((group: GroupName) => PlacesMethod)[] = [...ways].map((method) => () => ({ method, nodes: [] }));
  if (thoroughly) {
    tries.push((group) => ({ method: proposal.method, nodes: contentsOf(placements, group) }));
  }
  for (const places of tries) {
    const methods = new Map([...fit.methods, ...[...groups].map((group) => [group, places(group)] as const)]);
    if (comesTrue({ ...fit, methods }, placements, increases)) {
      return methods;
    }
  }
  return null;
}

/** Does packing as the next evaluation will do it find places for all pods that have one now? */
function comesTrue(fit: ToVerify['fit'], placements: readonly Placement[], increases: readonly Increase[]): boolean {
  const { snapshot, templates } = fit;
  const placed = podsByKind(placements);
  const demands = fit.demands
    .map(({ kind, pods }): Demand => ({ kind, pods: pods.slice(0, placed.get(kind) ?? 0) }))
    .filter(({ pods }) => pods.length > 0);
  snapshot.fork();
  addNodes(
    snapshot,
    templates,
    'promised',
    increases.flatMap(({ group, from, to }) => Array.from({ length: to - from }, () => group)),
  );
  const { left, anew } = fitExisting({ ...fit, demands, reservations: reservationsIn(placements) });
  snapshot.revert();
  return left.length === 0 && !anew;
}

/** What each node of the group holds of the pending pods, in the order of the nodes. */
function contentsOf(placements: readonly Placement[], group: GroupName): readonly (readonly Load[])[] {
  const contents = new Map<NodeInfo, Load[]>();
  for (const { kind, info, count } of placements) {
    if (info.group === group) {
      contents.set(info, [...(contents.get(info) ?? []), { kind, count }]);
    }
  }
  return [...contents].sort(([a], [b]) => a.index - b.index).map(([, loads]) => loads);
}

/** Puts a new node into the snapshot for each mention of a group. */
export function addNodes(
  snapshot: Snapshot,
  templates: ReadonlyMap<GroupName, GroupTemplate>,
  name: string,
  groups: readonly GroupName[],
): void {
  groups.forEach((group, i) => {
    const template = templates.get(group)!;
    addTemplateNode(
      snapshot,
      template,
      `${name}-${i}`,
      template.pods.map((pod) => snapshot.kindOf(pod)),
    );
  });
}
