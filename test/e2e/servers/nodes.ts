import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { KubeError, type Kube } from './kube.ts';

/** A machine that was a Node and has ended. */
export interface EndedNode {
  readonly node: string;
  /** `NAMESPACE/NAME` of the pods that were still on it but for those of DaemonSets: they were lost with it. */
  readonly lost: readonly string[];
}

/**
 * The labels that a kubelet sets, the old names too: left out, the node controller adds these a moment later, and nodes of one
 * group differ meanwhile.
 */
export const labelsOfKubelet = (name: string, arch: string): Readonly<Record<string, string>> => ({
  'kubernetes.io/hostname': name,
  'kubernetes.io/arch': arch,
  'kubernetes.io/os': 'linux',
  'beta.kubernetes.io/arch': arch,
  'beta.kubernetes.io/os': 'linux',
});

export async function createNode(kube: Kube, node: V1Node): Promise<void> {
  await kube.create('/api/v1/nodes', node).catch((error: unknown) => {
    // Made by an attempt whose answer was lost.
    if (!(error instanceof KubeError && error.status === 409)) throw error;
  });
}

/** The pods on a node but for those of DaemonSets and those that are over, as `NAMESPACE/NAME`. */
export async function podsOf(kube: Kube, node: string): Promise<readonly string[]> {
  const pods = await kube.list<V1Pod>(`/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`);
  return pods
    .filter((pod) => !isDaemon(pod) && !isOver(pod))
    .map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
}

const isDaemon = ({ metadata }: V1Pod): boolean =>
  metadata?.ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true) === true;
const isOver = ({ status }: V1Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
