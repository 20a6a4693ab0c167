import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import type { WorldEvent } from '../../../providers/simulated/world-event.ts';
import { poolOfNode } from '../pools.ts';
import type { Stage, Watch } from './invariant.ts';

type Detached = Extract<WorldEvent, { readonly kind: 'VolumeDetached' }>;

export interface LateVolumes extends Required<Pick<Watch, 'committed'>> {
  /** Has a volume been detached that took up room, though its pod had gone, when nodes of its pool were last bought? Once each. */
  readonly isLate: (event: WorldEvent) => event is Detached;
}

/**
 * Watches for volumes that are still attached, when nodes are bought, though their pods have gone. Where volumes decide how many pods a
 * node holds, each of them takes up the room of one, and gives it back later.
 */
export function watchLateVolumes({
  scenario: { pools },
  world: { api },
}: {
  readonly scenario: Pick<Stage['scenario'], 'pools'>;
  readonly world: Pick<Stage['world'], 'api'>;
}): LateVolumes {
  const late = new Set<string>();
  const keyOf = (volume: string, node: string): string => `${volume} ${node}`;
  const raises = (group: GroupName): void => {
    const pool = pools.find(({ groups }) => groups.includes(group));
    if (pool?.ofVolumes !== true) {
      return;
    }
    const { persistentVolumeClaims, volumeAttachments } = api.storage();
    const volumeOf = new Map(
      persistentVolumeClaims.map(({ namespace, name, volumeName }) => [`${namespace}/${name}`, volumeName]),
    );
    const volumesOn = ({ namespace, nodeName, spec }: Pod): readonly string[] =>
      spec.volumes.flatMap((one) =>
        one.kind === 'claim' ? keyOf(volumeOf.get(`${namespace}/${one.claimName}`) ?? '', nodeName ?? '') : [],
      );
    const used = new Set([...api.pods.values()].flatMap(volumesOn));
    for (const { nodeName, persistentVolume, attached } of volumeAttachments) {
      const key = keyOf(persistentVolume ?? '', nodeName);
      if (attached && !used.has(key) && poolOfNode(pools, api.nodes.get(nodeName)) === pool) {
        late.add(key);
      }
    }
  };
  return {
    committed: ({ intents }) => {
      for (const intent of intents) {
        if (intent.kind === 'SetSize' && intent.to > intent.from) {
          raises(intent.group);
        }
      }
    },
    isLate: (event): event is Detached =>
      event.kind === 'VolumeDetached' && late.delete(keyOf(event.volume, event.node)),
  };
}
