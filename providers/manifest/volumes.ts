import { getOwn } from '@outrigger/core/model/values/existing.ts';
import type { Volume } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Fields,
  type Manifest,
  booleanIn,
  listIn,
  manifest,
  nameIn,
  optionalObjectIn,
  readFields,
  stringIn,
  stringsIn,
  unlessBlank,
} from './fields.ts';
import { type Invalid, fieldOf, itemOf } from './invalid.ts';
import { MOST_READ } from './most-read.ts';

const NO_VOLUMES: readonly Volume[] = Object.freeze([]);
const NO_MONITORS: readonly string[] = Object.freeze([]);

type Source = (source: Fields, name: string, place: string, problems: Invalid[]) => Volume;

const disk =
  (type: 'gcePersistentDisk' | 'awsElasticBlockStore' | 'iscsi', idField: string): Source =>
  (source, name, place, problems) => ({
    kind: 'disk',
    name,
    type,
    id: nameIn(source, idField, place, problems),
    monitors: NO_MONITORS,
    readOnly: booleanIn(source, 'readOnly', place, problems),
  });

/** The volume sources that affect decisions. Projected ones, such as the token of every pod, do not. */
const SOURCES: Readonly<Record<string, Source>> = {
  persistentVolumeClaim: (source, name, place, problems) => ({
    kind: 'claim',
    name,
    claimName: nameIn(source, 'claimName', place, problems),
    readOnly: booleanIn(source, 'readOnly', place, problems),
  }),
  ephemeral: (_source, name) => ({ kind: 'ephemeralClaim', name }),
  csi: (source, name, place, problems) => ({ kind: 'csi', name, driver: nameIn(source, 'driver', place, problems) }),
  emptyDir: (source, name, place, problems) => ({
    kind: 'emptyDir',
    name,
    medium: stringIn(source, 'medium', place, problems),
  }),
  hostPath: (_source, name) => ({ kind: 'hostPath', name }),
  gcePersistentDisk: disk('gcePersistentDisk', 'pdName'),
  awsElasticBlockStore: disk('awsElasticBlockStore', 'volumeID'),
  iscsi: disk('iscsi', 'iqn'),
  rbd: (source, name, place, problems) => ({
    kind: 'disk',
    name,
    type: 'rbd',
    id: `${stringIn(source, 'pool', place, problems) || 'rbd'}/${nameIn(source, 'image', place, problems)}`,
    monitors: stringsIn(source, 'monitors', place, problems),
    readOnly: booleanIn(source, 'readOnly', place, problems),
  }),
};

/** Reads the `volumes` of a pod's spec that affect its scheduling or its drain; at most one more than are followed. */
export function volumesIn(spec: Fields, place: string, problems: Invalid[]): readonly Volume[] {
  const raw = listIn(spec, 'volumes', place, problems);
  if (raw.length === 0) {
    return NO_VOLUMES;
  }
  const kept: Volume[] = [];
  for (let i = 0; i < raw.length && kept.length < MOST_READ.volumes; i += 1) {
    const at = itemOf(fieldOf(place, 'volumes'), i);
    const volume = readFields(raw[i], at, problems);
    const name = nameIn(volume, 'name', at, problems);
    for (const key in volume) {
      if (key !== 'name' && Object.hasOwn(SOURCES, key)) {
        const source = optionalObjectIn(volume, key, at, problems);
        if (source !== null) {
          kept.push(getOwn(SOURCES, key)(source, name, fieldOf(at, key), problems));
        }
      }
    }
  }
  return kept.length === 0 ? NO_VOLUMES : kept;
}

export function writeVolume(volume: Volume): Manifest {
  const { name } = volume;
  switch (volume.kind) {
    case 'claim':
      return {
        name,
        persistentVolumeClaim: manifest({ claimName: volume.claimName, readOnly: volume.readOnly || null }),
      };
    case 'ephemeralClaim':
      return { name, ephemeral: {} };
    case 'csi':
      return { name, csi: { driver: volume.driver } };
    case 'emptyDir':
      return { name, emptyDir: manifest({ medium: unlessBlank(volume.medium) }) };
    case 'hostPath':
      return { name, hostPath: {} };
    case 'disk':
      return { name, [volume.type]: manifest({ ...diskId(volume), readOnly: volume.readOnly || null }) };
  }
}

function diskId({ type, id, monitors }: Extract<Volume, { kind: 'disk' }>): Manifest {
  switch (type) {
    case 'gcePersistentDisk':
      return { pdName: id };
    case 'awsElasticBlockStore':
      return { volumeID: id };
    case 'iscsi':
      return { iqn: id };
    case 'rbd': {
      const slash = id.indexOf('/');
      return { monitors, pool: id.slice(0, slash), image: id.slice(slash + 1) };
    }
  }
}
