import { firstItem } from '../../model/values/existing.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import type { Rejection } from '../../scheduling/plugin.ts';
import type { Scheduler } from '../../scheduling/scheduler.ts';

const PASSING: ReadonlySet<string> = new Set(['PodTopologySpread', 'InterPodAffinity']);

/** Does the rejection depend on where other pods are? Such a verdict changes with every placement. */
export const isPassing = ({ plugin }: Rejection): boolean => PASSING.has(plugin);

/**
 * Would a new node take a pod of this kind? Of a group that may give several shapes of nodes each must; but a shape
 * need not be in the very zone that spread or affinity asks for at the moment.
 *
 * @param nodes a fresh node to plan with, then one of every shape.
 */
export function newNodeVerdict(scheduler: Scheduler, kind: PodKind, nodes: readonly NodeInfo[]): Rejection | null {
  const rejection = scheduler.check(kind, firstItem(nodes));
  if (rejection !== null) {
    return rejection;
  }
  for (const shape of nodes.slice(1)) {
    const no = scheduler.check(kind, shape);
    if (no !== null && !isPassing(no)) {
      // The first shape may well take it, so its reasons alone would mislead.
      return { ...no, reasons: no.reasons.map((reason) => `${reason}, of some instance types or zones of the group`) };
    }
  }
  return null;
}
