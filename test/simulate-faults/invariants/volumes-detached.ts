import type { Drain } from '../../../core/model/drain.ts';
import { keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { isSimulatedNodeReady } from '../../../simulation/cluster/node-readiness.ts';
import { isAtItsEnd } from '../deadlines.ts';
import { MAX_SKEW_MS } from '../runtime.ts';
import type { Invariant, Stage } from './invariant.ts';

/** Volumes are waited for two minutes (docs/drain.md); two clocks measure that. */
const PATIENCE_MS = 120_000 - 2 * MAX_SKEW_MS - 5_000;

/**
 * A drain goes on to the end of its instance when the volumes of the pods that it has evicted are detached: a volume that is
 * taken from an instance that has ended reaches its pod minutes later. Two minutes after the last pod has gone, on a node
 * that is not ready, and where the cloud ends the instance by then, it waits no longer.
 */
export const volumesDetached: Invariant = {
  name: 'an instance is ended when its volumes are detached',
  on: ['aws'],
  assumes: ['skew'],
  watch: (stage, violate, count) => {
    const { api, clock } = stage.world;
    const gone = new Map<string, EpochMs>();
    api.watch({ podDeleted: ({ uid }) => gone.set(uid, clock.now()) });
    return {
      drain: ({ drain }, before) => {
        if (before?.drain.phase !== 'Evicting' || !['DeletionDelay', 'Terminating'].includes(drain.phase)) {
          return;
        }
        // A pod that is stuck while terminating keeps its volumes attached; whether a drain waits for the pod is
        // checked elsewhere (`ended-with-care`).
        const evicted = drain.evictions.flatMap(({ manifest }) =>
          claimsOf(manifest).length > 0 && gone.has(manifest.uid) ? manifest : [],
        );
        const node = api.nodes.get(drain.node);
        if (evicted.length === 0 || node === undefined) {
          return;
        }
        const lastGone = Math.max(...evicted.map(({ uid }) => gone.get(uid) ?? 0));
        const left = attachedFor(evicted, drain, stage);
        const isDue =
          isSimulatedNodeReady(node) &&
          clock.now() - lastGone < PATIENCE_MS &&
          !isAtItsEnd(stage, drain.instance, clock.now());
        count(isDue);
        if (left.length > 0 && isDue) {
          violate(
            `drain ${drain.id} is done with its pods ${(clock.now() - lastGone) / 1_000} s after the last of them has gone, and ` +
              `${left.join(', ')} still attached to ${drain.node}`,
          );
        }
      },
    };
  },
};

const claimsOf = ({ namespace, spec: { volumes } }: Pod): readonly string[] =>
  volumes.flatMap((volume) => (volume.kind === 'claim' ? `${namespace}/${volume.claimName}` : []));

/** The volumes of these pods that are still attached to the node of the drain, and that no pod there uses. */
function attachedFor(evicted: readonly Pod[], { node }: Drain, { world: { api } }: Stage): readonly string[] {
  const claims = new Set(evicted.flatMap(claimsOf));
  for (const pod of api.pods.values()) {
    if (pod.nodeName === node && !evicted.some((one) => keyOf(one) === keyOf(pod) && one.uid === pod.uid)) {
      claimsOf(pod).forEach((claim) => claims.delete(claim));
    }
  }
  const { persistentVolumes, volumeAttachments } = api.storage();
  const attached = new Set(
    volumeAttachments.flatMap(({ nodeName, persistentVolume }) => (nodeName === node ? persistentVolume : [])),
  );
  return persistentVolumes.flatMap(({ name, claimRef }) =>
    attached.has(name) && claims.has(`${claimRef?.namespace}/${claimRef?.name}`) ? name : [],
  );
}
