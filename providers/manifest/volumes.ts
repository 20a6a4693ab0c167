import { getOwn } from '@outrigger/core/model/values/existing.ts';
import type { Volume } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Manifest,
  type Section,
  booleanIn,
  manifest,
  nameIn,
  optionalObjectIn,
  sectionsIn,
  stringIn,
  stringsIn,
  unlessBlank,
} from './fields.ts';
import { MOST_READ } from './most-read.ts';

const NO_VOLUMES: readonly Volume[] = Object.freeze([]);
const NO_MONITORS: readonly string[] = Object.freeze([]);

type Source = (source: Section, name: string) => Volume;

const disk =
  (type: 'gcePersistentDisk' | 'awsElasticBlockStore' | 'iscsi', idField: string): Source =>
  (source, name) => ({
    kind: 'disk',
    name,
    type,
    id: nameIn(source, idField),
    monitors: NO_MONITORS,
    readOnly: booleanIn(source, 'readOnly'),
  });

/** The volume sources that affect decisions. Projected ones, such as the token of every pod, do not. */
const SOURCES: Readonly<Record<string, Source>> = {
  persistentVolumeClaim: (source, name) => ({
    kind: 'claim',
    name,
    claimName: nameIn(source, 'claimName'),
    readOnly: booleanIn(source, 'readOnly'),
  }),
  ephemeral: (_source, name) => ({ kind: 'ephemeralClaim', name }),
  csi: (source, name) => ({ kind: 'csi', name, driver: nameIn(source, 'driver') }),
  emptyDir: (source, name) => ({
    kind: 'emptyDir',
    name,
    medium: stringIn(source, 'medium'),
  }),
  hostPath: (_source, name) => ({ kind: 'hostPath', name }),
  gcePersistentDisk: disk('gcePersistentDisk', 'pdName'),
  awsElasticBlockStore: disk('awsElasticBlockStore', 'volumeID'),
  iscsi: disk('iscsi', 'iqn'),
  rbd: (source, name) => ({
    kind: 'disk',
    name,
    type: 'rbd',
    id: `${stringIn(source, 'pool') || 'rbd'}/${nameIn(source, 'image')}`,
    monitors: stringsIn(source, 'monitors'),
    readOnly: booleanIn(source, 'readOnly'),
  }),
};

/** Reads the `volumes` of a pod's spec that affect its scheduling or its drain; at most one more than are followed. */
export function volumesIn(spec: Section): readonly Volume[] {
  const kept: Volume[] = [];
  for (const volume of sectionsIn(spec, 'volumes')) {
    if (kept.length >= MOST_READ.volumes) {
      break;
    }
    const name = nameIn(volume, 'name');
    for (const key in volume.fields) {
      if (key !== 'name' && Object.hasOwn(SOURCES, key)) {
        const source = optionalObjectIn(volume, key);
        if (source !== null) {
          kept.push(getOwn(SOURCES, key)(source, name));
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
