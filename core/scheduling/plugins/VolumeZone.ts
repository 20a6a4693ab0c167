import { quoted } from '../../model/values/clip.ts';
import { REGION_LABEL, ZONE_LABEL } from '../../model/cluster/node.ts';
import type { PersistentVolume } from '../../model/cluster/storage.ts';
import { type Plugin, rejectEverywhere, rejection, unlimited } from '../plugin.ts';
import { volumeIndex } from '../volumes.ts';

const CONFLICT = rejection('VolumeZone', 'node(s) had no available volume zone');

/** Labels for zone and region; the deprecated labels map to their successors. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', ZONE_LABEL],
  ['failure-domain.beta.kubernetes.io/region', REGION_LABEL],
  [ZONE_LABEL, ZONE_LABEL],
  [REGION_LABEL, REGION_LABEL],
]);

interface VolumeTopology {
  readonly label: string;
  readonly replacement: string;
  readonly values: ReadonlySet<string>;
}

/**
 * A volume with a zone or region label goes only onto nodes with that label and one of its values (`a__b` lists several);
 * an old label of the volume also matches the new one of the node. Nodes without any such label take every volume.
 * Follows kube-scheduler 1.35, plugins/volumezone.
 */
export const volumeZone: Plugin = {
  name: 'VolumeZone',
  prepare:
    ({ objects }) =>
    (kind) => {
      const index = volumeIndex(objects);
      const topologies: VolumeTopology[] = [];
      for (const volume of kind.spec.volumes) {
        const name = volume.kind === 'claim' ? index.claim(kind.namespace, volume.claimName)?.volumeName : '';
        if (name === undefined || name === '') {
          continue;
        }
        const persistentVolume = index.volumes.get(name);
        if (persistentVolume === undefined) {
          const reason = `persistentvolume ${quoted(name)} not found`;
          return rejectEverywhere(rejection('VolumeZone', reason));
        }
        topologies.push(...topologiesOf(persistentVolume));
      }
      if (topologies.length === 0) {
        return null;
      }
      return {
        node: ({ node: { labels } }) => {
          if (LABELS.keys().every((label) => labels[label] === undefined)) {
            return null;
          }
          for (const { label, replacement, values } of topologies) {
            const value = labels[label] ?? labels[replacement];
            if (value === undefined || !values.has(value)) {
              return CONFLICT;
            }
          }
          return null;
        },
        room: unlimited,
      };
    },
};

function topologiesOf({ labels }: PersistentVolume): readonly VolumeTopology[] {
  const topologies: VolumeTopology[] = [];
  for (const [label, replacement] of LABELS) {
    const values = labels[label]?.split('__').map((value) => value.trim());
    // A list with an empty entry is not understood and binds nothing.
    if (values !== undefined && !values.includes('')) {
      topologies.push({ label, replacement, values: new Set(values) });
    }
  }
  return topologies;
}
