import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { CPU, MEMORY } from '@outrigger/core/model/values/resources.ts';
import type { InstanceType } from '../launches/instance-types.ts';
import { type KubeletSettings, NO_SETTINGS } from '../launches/kubelet-settings.ts';
import type { Sample } from '../../node-groups/templates/live-node.ts';
import { type NodeResources, nodeResources } from './allocatable.ts';

/** Kubelets of one group may reserve more than the images do. A kubelet that reserves even more is believed once a second node confirms it. */
const LEAST_SHARE = 0.8;

/** The statements of a sample node that can be true. */
interface BelievedNode {
  readonly node: Node;
  /** Resources whose stated amounts cannot be true, or are not confirmed. */
  readonly refused: readonly string[];
}

/**
 * Replaces amounts of CPU and memory by those of EC2's description of the instance type where the node states more than
 * the type has, or less than 80 % of what a node of the type has for pods and no second node confirms that. A kubelet
 * writes the status of its own node: a false status would keep the group from growing, or have nodes launched for pods
 * that do not fit.
 */
export function believed(
  { node, confirmed }: Sample,
  type: InstanceType,
  settings: KubeletSettings = NO_SETTINGS,
): BelievedNode {
  const computed = computedFor(type, settings);
  const refused = implausible(node, type, computed, confirmed ? 0 : LEAST_SHARE);
  if (refused.length === 0) {
    return { node, refused };
  }
  const amountsOf = (of: 'capacity' | 'allocatable') => ({
    ...node[of],
    ...Object.fromEntries(refused.map((name) => [name, computed[of][name] ?? 0])),
  });
  return { node: { ...node, capacity: amountsOf('capacity'), allocatable: amountsOf('allocatable') }, refused };
}

/** The image's formulas are meant to be enough for every type and kernel, so that real nodes have more. */
const LEAST_OF_ONE = 0.98;

/**
 * Do the stated amounts speak for nodes of other groups? Those of a single node only where EC2's description of the type bears them
 * out.
 *
 * @param confirmed a second node states about the same.
 */
export const speaksForOthers = (node: Node, type: InstanceType, confirmed: boolean): boolean =>
  implausible(node, type, computedFor(type), confirmed ? LEAST_SHARE : LEAST_OF_ONE).length === 0;

const computedFor = (type: InstanceType, settings: KubeletSettings = NO_SETTINGS): NodeResources =>
  nodeResources(type, { kind: 'addresses' }, 0, settings);

function implausible(
  node: Node,
  type: InstanceType,
  computed: NodeResources,
  leastShare: number,
): readonly (typeof CPU | typeof MEMORY)[] {
  const most = { [CPU]: type.vCpus * 1_000, [MEMORY]: type.memoryMib * 2 ** 20 };
  return ([CPU, MEMORY] as const).filter((name) => {
    const capacity = node.capacity[name] ?? 0;
    const allocatable = node.allocatable[name] ?? 0;
    const isTooMuch = capacity > most[name] || allocatable > most[name];
    const isTooLittle = allocatable < (computed.allocatable[name] ?? 0) * leastShare;
    return most[name] > 0 && (isTooMuch || isTooLittle);
  });
}
