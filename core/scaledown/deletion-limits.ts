import type { GroupName } from '../model/values/names.ts';
import type { Options } from '../model/options.ts';
import { waitingNodes } from '../model/disruption.ts';
import type { State } from '../model/state.ts';

/** A node that may be removed, as far as the limits ask. */
export interface DeletableNode {
  readonly group: GroupName;
  readonly empty: boolean;
  /** Its group goes as a whole. */
  readonly atomic: boolean;
}

/**
 * Keeps to the number of removals and drains at a time, those in progress included: groups that go as a whole first, then
 * empty nodes, then nodes that must be drained. One group may pass the limits as long as something is left of them, or
 * large ones would never go.
 *
 * Follows `CropNodes` of Cluster Autoscaler's scaledown/budgets.
 *
 * @param nodes in order; what is left of the limits goes to the first of them.
 * @returns those that may go now, in that order.
 */
export function withinDeletionLimits<T extends DeletableNode>(
  nodes: readonly T[],
  { maxScaleDownParallelism, maxDrainParallelism }: Options,
  state: State,
): readonly T[] {
  const waiting = waitingNodes(state);
  const underWay = state.deletionsInProgress.filter(({ node }) => !waiting.has(node));
  let all = maxScaleDownParallelism - underWay.length;
  let drains = maxDrainParallelism - underWay.filter(({ kind }) => kind === 'drain').length;
  const chosen = new Set<T>();
  const take = (some: readonly T[]): void => {
    for (const node of some) {
      chosen.add(node);
      all -= 1;
      drains -= Number(!node.empty);
    }
  };

  const wholes = Map.groupBy(
    nodes.filter(({ atomic }) => atomic),
    ({ group }) => group,
  );
  let mayPass = true;
  for (const whole of [...wholes.values()].sort((a, b) => Number(hasEmpty(b)) - Number(hasEmpty(a)))) {
    const toDrain = whole.filter(({ empty }) => !empty).length;
    const exceeds = whole.length > all || toDrain > drains;
    if (exceeds && (all <= 0 || (toDrain > 0 && drains <= 0) || !mayPass)) {
      break;
    }
    take(whole);
    mayPass = false;
  }
  const single = nodes.filter(({ atomic }) => !atomic);
  take(single.filter(({ empty }) => empty).slice(0, Math.max(0, all)));
  take(single.filter(({ empty }) => !empty).slice(0, Math.max(0, Math.min(all, drains))));
  return nodes.filter((node) => chosen.has(node));
}

const hasEmpty = (group: readonly DeletableNode[]): boolean => group.some(({ empty }) => empty);
