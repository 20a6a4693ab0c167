import { getExisting, required } from '../../model/values/existing.ts';
import type { GroupName } from '../../model/values/names.ts';
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

/** Why a fresh node of the group would not take a pod of each of these kinds; `null` for kinds that it would take. */
export function newNodeVerdicts(
  input: PlanInput,
  group: GroupName,
  kinds: readonly PodKind[],
): readonly (Rejection | null)[] {
  const { snapshot, scheduler, templates } = input;
  const template = getExisting(templates, group);
  snapshot.fork();
  const first = addNodeOf(input, template);
  const shapes = template.shapes.map((node) => addNodeOf(input, { ...template, node }));
  const verdicts = kinds.map((kind) => newNodeVerdict(scheduler, kind, first, shapes));
  snapshot.revert();
  return verdicts;
}

// Names do not contain the group, so that plans for different groups share their host names, and what counts by them.
const addNodeOf = ({ snapshot, daemons }: PlanInput, template: GroupTemplate): NodeInfo =>
  addTemplateNode(snapshot, template, `planned-${snapshot.nodes.length}`, getExisting(daemons, template.group));

const PASSING: ReadonlySet<string> = new Set(['PodTopologySpread', 'InterPodAffinity']);

/** Does the rejection depend on where other pods are? Such a verdict changes with every placement. */
export const isPassing = ({ plugin }: Rejection): boolean => PASSING.has(plugin);

/**
 * Of a group that may give several shapes of nodes each must take the pod; but a shape need not be in the very zone that
 * spread or affinity asks for at the moment.
 *
 * @param first a fresh node to plan with.
 */
function newNodeVerdict(
  scheduler: Scheduler,
  kind: PodKind,
  first: NodeInfo,
  shapes: readonly NodeInfo[],
): Rejection | null {
  const rejection = scheduler.check(kind, first);
  if (rejection !== null) {
    return rejection;
  }
  for (const shape of shapes) {
    const no = scheduler.check(kind, shape);
    if (no !== null && !isPassing(no)) {
      // The first shape may well take it, so its reasons alone would mislead.
      return { ...no, reasons: no.reasons.map((reason) => `${reason}, of some instance types or zones of the group`) };
    }
  }
  return null;
}
