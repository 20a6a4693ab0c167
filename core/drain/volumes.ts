import { isNodeReady } from '../model/cluster/node-condition.ts';
import type { Pod } from '../model/cluster/pod.ts';
import { claimUses } from '../scheduling/volumes.ts';
import type { DrainFacts } from './observation.ts';

/**
 * The first volume that is still attached to the node and that no pod uses which stays on it. `null`: there is none, or
 * it would not be detached: without a kubelet that says so, a volume is taken for mounted.
 */
export function attachedVolume({ node, pods, cluster, attached }: DrainFacts): string | null {
  if (node === null || attached.length === 0 || !isNodeReady(node)) {
    return null;
  }
  const used = new Set(pods.flatMap((pod) => volumesOf(pod, cluster)));
  return attached.filter((name) => !used.has(name)).toSorted()[0] ?? null;
}

function volumesOf(pod: Pod, { persistentVolumeClaims }: DrainFacts['cluster']): readonly string[] {
  const names = new Set(claimUses(pod).map(({ name }) => name));
  return persistentVolumeClaims
    .filter(({ namespace, name }) => namespace === pod.namespace && names.has(name))
    .map(({ volumeName }) => volumeName)
    .filter((volumeName) => volumeName !== '');
}
