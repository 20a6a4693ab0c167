import type { Node, NodeCondition, Taint } from '@outrigger/core/model/cluster/node.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';

/** The taint of the node controller on a node that is not ready. */
export const NOT_READY_TAINT: Taint = { key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoSchedule' };

const UNREMARKABLE = [
  ['MemoryPressure', 'KubeletHasSufficientMemory'],
  ['DiskPressure', 'KubeletHasNoDiskPressure'],
  ['PIDPressure', 'KubeletHasSufficientPID'],
] as const;

/** The conditions that a kubelet writes. */
export const conditionsOf = (ready: boolean, since: EpochMs | null): readonly NodeCondition[] => [
  { type: 'Ready', status: ready ? 'True' : 'False', reason: ready ? 'KubeletReady' : 'KubeletNotReady', since },
  ...UNREMARKABLE.map(([type, reason]) => ({ type, status: 'False', reason, since })),
];

/** A node that does not exist is not ready. */
export const isSimulatedNodeReady = (node: Node | null | undefined): boolean =>
  node?.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
