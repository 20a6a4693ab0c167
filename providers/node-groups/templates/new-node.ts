import { type GroupName, type NodeName, nodeName } from '@outrigger/core/model/values/names.ts';
import { HOSTNAME_LABEL, type Node, type NodeCondition, type Taint } from '@outrigger/core/model/cluster/node.ts';

/** The name of a node that does not exist yet: the same in every evaluation. The core names its copies. */
const templateName = (group: GroupName): NodeName => nodeName(`template-node-for-${group}`);

/** The conditions of a healthy node, without a time: a template is always ready. */
const FRESH_CONDITIONS: readonly NodeCondition[] = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', since: null },
  { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', since: null },
  { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', since: null },
  { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', since: null },
  { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated', since: null },
];

/** A healthy node that does not exist yet, with the labels, taints and resources of its group. */
export function newNode(
  group: GroupName,
  given: Pick<Node, 'labels' | 'taints' | 'capacity' | 'allocatable' | 'declaredFeatures'>,
): Node {
  const name = templateName(group);
  return {
    ...given,
    name,
    uid: '',
    labels: { ...given.labels, [HOSTNAME_LABEL]: name },
    annotations: {},
    createdAt: null,
    deletedAt: null,
    providerId: null,
    unschedulable: false,
    conditions: FRESH_CONDITIONS,
  };
}

/** Taints from several sources; later sources override earlier ones: a node has one taint per key and effect. */
export function mergeTaints(...lists: readonly (readonly Taint[])[]): readonly Taint[] {
  const merged = new Map(lists.flat().map((taint) => [`${taint.key}:${taint.effect}`, taint]));
  return [...merged.values()];
}
