import type { Volume } from '../../model/cluster/pod.ts';
import type { DrainRule } from './rule.ts';
import { block } from './outcome.ts';

/** Names of volumes whose content may be lost, with commas between them and no blanks. */
export const SAFE_TO_EVICT_LOCAL_VOLUMES = 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes';

/** Data in a hostPath or emptyDir volume is lost with the node. Data in memory is lost with the pod anyway. */
export const localStorage: DrainRule = {
  name: 'localStorage',
  decide: ({ spec, annotations }, { options }) => {
    if (!options.skipNodesWithLocalStorage || !spec.volumes.some(isLocal)) {
      return null;
    }
    const expendable = new Set((annotations[SAFE_TO_EVICT_LOCAL_VOLUMES] ?? '').split(','));
    const kept = spec.volumes.find((volume) => isLocal(volume) && !expendable.has(volume.name));
    if (kept === undefined) {
      return null;
    }
    return block('LocalStorageRequested', `its volume ${kept.name} (${kept.kind}) is on the node's own disk`);
  },
};

const isLocal = (volume: Volume): boolean =>
  volume.kind === 'hostPath' || (volume.kind === 'emptyDir' && volume.medium !== 'Memory');
