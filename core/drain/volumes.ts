import { isNodeReady } from '../model/node-condition.ts';
import type { Drain } from '../model/drain.ts';
import type { Pod } from '../model/pod.ts';
import type { Facts } from './observation.ts';

/**
 * The first volume that is still attached to the node and that no pod uses which stays on it. `null`: there is none, or
 * nobody would detach it: without a kubelet that says so, a volume is taken for mounted.
 */
export function attachedVolume({ node: name }: Drain, { node, pods, cluster }: Facts): string | null {
  if (node === null || !isNodeReady(node)) {
    return null;
  }
  const used = new Set(pods.flatMap((pod) => volumesOf(pod, cluster)));
  return (
    cluster.volumeAttachments
      .flatMap(({ nodeName, persistentVolume, attached }) =>
        nodeName === name && attached && persistentVolume !== null && !used.has(persistentVolume)
          ? [persistentVolume]
          : [],
      )
      .toSorted()[0] ?? null
  );
}

/** Does a pod have volumes of its own that may have to be detached? */
export const hasClaims = ({ spec: { volumes } }: Pod): boolean =>
  volumes.some(({ kind }) => kind === 'claim' || kind === 'ephemeralClaim');

function volumesOf(pod: Pod, { persistentVolumeClaims }: Facts['cluster']): readonly string[] {
  const names = new Set(
    pod.spec.volumes.flatMap((volume) =>
      volume.kind === 'claim'
        ? [volume.claimName]
        : volume.kind === 'ephemeralClaim'
          ? [`${pod.name}-${volume.name}`]
          : [],
    ),
  );
  return persistentVolumeClaims.flatMap(({ namespace, name, volumeName }) =>
    namespace === pod.namespace && names.has(name) && volumeName !== '' ? [volumeName] : [],
  );
}
