import { getExisting, required } from '../../model/values/existing.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { Node } from '../../model/cluster/node.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { addTemplateNode, type GroupTemplate } from '../../nodegroups/node-templates.ts';
import type { Ledger } from './ledger.ts';
import type { PlanInput } from './plan-input.ts';

type Naming = Pick<Ledger, 'nextName'>;

/** The group of a new node. @throws RangeError for a node without a group */
export const groupOfNew = ({ group, name }: Pick<NodeInfo, 'group' | 'name'>): GroupName => required(group, name);

/** Puts one more node of a group into the snapshot. */
export const addNode = (input: PlanInput, ledger: Naming, group: GroupName): NodeInfo =>
  addNodeOf(input, ledger, getExisting(input.templates, group));

/** Tries something with a new node of the group; without success the node is taken away again. */
export function tryNode(input: PlanInput, ledger: Naming, group: GroupName, use: (info: NodeInfo) => boolean): boolean {
  const { snapshot } = input;
  const first = ledger.nextName;
  snapshot.fork();
  if (use(addNode(input, ledger, group))) {
    snapshot.commit();
    return true;
  }
  snapshot.revert();
  ledger.nextName = first;
  return false;
}

/** Shows new nodes of the group, one of each shape that they may have, and takes them away again. */
export function onFreshNodes<T>(
  input: PlanInput,
  ledger: Naming,
  group: GroupName,
  use: (nodes: readonly NodeInfo[]) => T,
): T {
  const { snapshot, templates } = input;
  const template = getExisting(templates, group);
  const first = ledger.nextName;
  const nodes: Node[] = [template.node, ...template.shapes];
  snapshot.fork();
  const answer = use(nodes.map((node) => addNodeOf(input, ledger, { ...template, node })));
  snapshot.revert();
  ledger.nextName = first;
  return answer;
}

// Names do not contain the group, so that plans for different groups share their host names, and what counts by them.
const addNodeOf = ({ snapshot, daemons }: PlanInput, ledger: Naming, template: GroupTemplate): NodeInfo =>
  addTemplateNode(snapshot, template, `planned-${ledger.nextName++}`, getExisting(daemons, template.group));
