import type { Pod } from '../../core/model/cluster/pod.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import { type EpochMs, seconds } from '../../core/model/values/time.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';

/** What was attached so lately may have been read as attached. */
const READ_AGE_MS = seconds(60);

/**
 * Watches where volumes are attached. One that is still attached when its pod has gone takes a place on the node until it is
 * detached.
 *
 * @returns how many of a node are, or were a moment ago, that none of these pods has there.
 */
export function watchLingering({
  api,
  clock,
  onEvent,
}: Pick<SimulatedWorld, 'api' | 'clock' | 'onEvent'>): (node: NodeName, pods: readonly Pod[]) => number {
  const until = new Map<NodeName, Map<string, EpochMs>>();
  const note = (node: NodeName, volume: string, time: EpochMs): void => {
    until.set(node, (until.get(node) ?? new Map<string, EpochMs>()).set(volume, time));
  };
  onEvent((event) => {
    if (event.kind === 'VolumeAttached') {
      note(event.node, event.volume, Number.POSITIVE_INFINITY as EpochMs);
    } else if (event.kind === 'VolumeDetached') {
      note(event.node, event.volume, event.at);
    }
  });
  return (node, pods) => {
    const volumeOf = new Map(
      api
        .storage()
        .persistentVolumeClaims.map(({ namespace, name, volumeName }) => [`${namespace}/${name}`, volumeName]),
    );
    const used = new Set(
      pods
        .filter((pod) => pod.nodeName === node)
        .flatMap(({ namespace, spec }) =>
          spec.volumes.flatMap((one) =>
            one.kind === 'claim' ? (volumeOf.get(`${namespace}/${one.claimName}`) ?? []) : [],
          ),
        ),
    );
    return [...(until.get(node) ?? [])].filter(
      ([volume, time]) => !used.has(volume) && clock.now() - time <= READ_AGE_MS,
    ).length;
  };
}
