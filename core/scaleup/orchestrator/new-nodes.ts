import { firstItem, getExisting, required } from '../../model/values/existing.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { Node } from '../../model/cluster/node.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import type { Rejection } from '../../scheduling/plugin.ts';
import type { Scheduler } from '../../scheduling/scheduler.ts';
import { addTemplateNode, type GroupTemplate } from '../../nodegroups/node-templates.ts';
import type { PlanInput } from './plan-input.ts';

/** The group of a new node. @throws RangeError for a node without a group */
export const groupOfNew = ({ group, name }: Pick<NodeInfo, 'group' | 'name'>): GroupName => required(group, name);

/** The nodes that have not been taken back. */
export const remaining = ({ nodes }: Snapshot, added: readonly NodeInfo[]): readonly NodeInfo[] =>
  added.filter((info) => nodes[info.index] === info);

/** Puts one more node of a group into the snapshot. */
export const addNode = (input: PlanInput, group: GroupName): NodeInfo =>
  addNodeOf(input, getExisting(input.templates, group));

/** Shows new nodes of the group, one of each shape that they may have, and takes them away again. */
export function onFreshNodes<T>(input: PlanInput, group: GroupName, use: (nodes: readonly NodeInfo[]) => T): T {
  const { snapshot, templates } = input;
  const template = getExisting(templates, group);
  const nodes: Node[] = [template.node, ...template.shapes];
  snapshot.fork();
  const answer = use(nodes.map((node) => addNodeOf(input, { ...template, node })));
  snapshot.revert();
  return answer;
}

// Names do not contain the group, so that plans for different groups share their host names, and what counts by them.
const addNodeOf = ({ snapshot, daemons }: PlanInput, template: GroupTemplate): NodeInfo =>
  addTemplateNode(snapshot, template, `planned-${snapshot.nodes.length}`, getExisting(daemons, template.group));

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
