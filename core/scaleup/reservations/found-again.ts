import { getExisting } from '../../model/values/existing.ts';
import type { Increase } from '../../model/decision.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import { type Demand, type Load, podsByKind } from '../../estimator/demand.ts';
import type { Placement } from '../../estimator/placing.ts';
import { addTemplateNode, type GroupTemplate } from '../../nodegroups/node-templates.ts';
import { type PlacementInput, placeOnExistingNodes } from './place-on-existing-nodes.ts';
import { type NodeContents, reservationsIn } from './reservations.ts';

/** A plan beside the places that pods have found on existing and upcoming nodes. */
interface PlanToVerify {
  /** As these were found. The snapshot shows none of them. */
  readonly fit: Omit<PlacementInput, 'reservations'>;
  readonly increases: readonly Increase[];
  /** Places on these nodes and on the plan's nodes. */
  readonly placements: readonly Placement[];
  /** Groups that do not grow may have reservations as well. */
  readonly hasReservations: boolean;
}

/**
 * The contents that the next evaluation must know to find all places of a plan again: none where packing each group's
 * pods finds the places, else the pods of each node. Without them, 7 of 550 pairs of evaluations launched 24 nodes a
 * second time (decision 11).
 */
export function contentsToRemember(given: PlanToVerify): NodeContents {
  const { fit, placements, increases, hasReservations } = given;
  const groups = hasReservations
    ? new Set(placements.flatMap(({ info }) => info.group ?? []))
    : new Set(increases.map(({ group }) => group));
  const others = [...fit.contents].filter(([group]) => !groups.has(group));
  const packed: NodeContents = new Map(others);
  if (isFoundAgain({ ...fit, contents: packed }, placements, increases)) {
    return packed;
  }
  const listed: NodeContents = new Map([
    ...others,
    ...[...groups].map((group) => [group, contentsOf(placements, group)] as const),
  ]);
  return isFoundAgain({ ...fit, contents: listed }, placements, increases) ? listed : fit.contents;
}

/** Does packing as the next evaluation will do it find places for all pods that have one now? */
function isFoundAgain(
  fit: PlanToVerify['fit'],
  placements: readonly Placement[],
  increases: readonly Increase[],
): boolean {
  const { snapshot, templates } = fit;
  const placed = podsByKind(placements);
  const demands = fit.demands
    .map(({ kind, pods }): Demand => ({ kind, pods: pods.slice(0, placed.get(kind) ?? 0) }))
    .filter(({ pods }) => pods.length > 0);
  snapshot.fork();
  addNodes(
    snapshot,
    templates,
    increases.flatMap(({ group, from, to }) => Array.from({ length: to - from }, () => group)),
  );
  const { left, anew } = placeOnExistingNodes({ ...fit, demands, reservations: reservationsIn(placements) });
  snapshot.revert();
  return left.length === 0 && !anew;
}

/** The pending pods that each node of the group holds, in the order of the nodes. */
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
function addNodes(
  snapshot: Snapshot,
  templates: ReadonlyMap<GroupName, GroupTemplate>,
  groups: readonly GroupName[],
): void {
  groups.forEach((group, i) => {
    const template = getExisting(templates, group);
    addTemplateNode(
      snapshot,
      template,
      `promised-${i}`,
      template.pods.map((pod) => snapshot.kindOf(pod)),
    );
  });
}
