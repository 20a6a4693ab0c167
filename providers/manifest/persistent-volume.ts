import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { PersistentVolume } from '@outrigger/core/model/cluster/storage.ts';
import { bytesIn, writeQuantity } from './amounts.ts';
import {
  type Fields,
  type Manifest,
  manifest,
  nameIn,
  objectIn,
  optionalObjectIn,
  optionalStringIn,
  stringIn,
  stringsIn,
  unlessBlank,
} from './fields.ts';
import { type Invalid, type Reader, fieldOf } from './invalid.ts';
import { annotationsOf, deletedAtOf, labelsOf, partsOf, nameOf, writeMetadata } from './metadata.ts';
import { nodeSelectorIn, writeNodeSelector } from './selectors.ts';

/** Older than `storageClassName`, and takes precedence over it. */
export const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const EBS_DRIVER = 'ebs.csi.aws.com';

export const persistentVolumeReader: Reader<PersistentVolume> = (raw, place, problems) => {
  const { object, metadata, spec, at } = partsOf(raw, place, problems);
  const affinity = objectIn(spec, 'nodeAffinity', at, problems);
  return {
    name: nameOf(metadata, problems),
    labels: labelsOf(metadata, problems),
    storageClass:
      annotationsOf(metadata, problems)[STORAGE_CLASS_ANNOTATION] ?? stringIn(spec, 'storageClassName', at, problems),
    capacityBytes: bytesIn(objectIn(spec, 'capacity', at, problems), 'storage', fieldOf(at, 'capacity'), problems),
    accessModes: stringsIn(spec, 'accessModes', at, problems),
    volumeMode: optionalStringIn(spec, 'volumeMode', at, problems) ?? 'Filesystem',
    phase:
      optionalStringIn(objectIn(object, 'status', place, problems), 'phase', fieldOf(place, 'status'), problems) ??
      'Pending',
    claimRef: claimIn(spec, at, problems),
    nodeAffinity: nodeSelectorIn(affinity, 'required', fieldOf(at, 'nodeAffinity'), problems),
    csi: csiIn(spec, at, problems),
    deleted: deletedAtOf(metadata, problems) !== null,
  };
};

function claimIn(spec: Fields, place: string, problems: Invalid[]): PersistentVolume['claimRef'] {
  const claim = optionalObjectIn(spec, 'claimRef', place, problems);
  if (claim === null) {
    return null;
  }
  const at = fieldOf(place, 'claimRef');
  return {
    namespace: stringIn(claim, 'namespace', at, problems) || 'default',
    name: nameIn(claim, 'name', at, problems),
    uid: stringIn(claim, 'uid', at, problems),
  };
}

function csiIn(spec: Fields, place: string, problems: Invalid[]): PersistentVolume['csi'] {
  const csi = optionalObjectIn(spec, 'csi', place, problems);
  if (csi !== null) {
    const at = fieldOf(place, 'csi');
    return {
      driver: nameIn(csi, 'driver', at, problems),
      handle: nameIn(csi, 'volumeHandle', at, problems),
      inTree: false,
    };
  }
  const ebs = optionalObjectIn(spec, 'awsElasticBlockStore', place, problems);
  if (ebs === null) {
    return null;
  }
  const volume = nameIn(ebs, 'volumeID', fieldOf(place, 'awsElasticBlockStore'), problems);
  // In-tree volumes may be written as `aws://ZONE/vol-…`; the driver's handle is the last part, and one volume must
  // have one name or the limit of volumes per node counts it twice.
  return { driver: EBS_DRIVER, handle: volume.slice(volume.lastIndexOf('/') + 1), inTree: true };
}

/** For kinds of which only whether they are being deleted is kept: any time will do. */
export const writeDeleted = (deleted: boolean): Manifest =>
  manifest({ deletionTimestamp: deleted ? '1970-01-01T00:00:00Z' : null });

function writeSource(csi: PersistentVolume['csi']): Manifest {
  if (csi === null) {
    return {};
  }
  if (csi.inTree) {
    return { awsElasticBlockStore: { volumeID: csi.handle } };
  }
  return { csi: { driver: csi.driver, volumeHandle: csi.handle } };
}

/** Writes a volume as a manifest that reads as an equal one. */
export const writePersistentVolume = (volume: PersistentVolume): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { ...writeMetadata({ name: volume.name, labels: volume.labels }), ...writeDeleted(volume.deleted) },
  spec: manifest({
    storageClassName: unlessBlank(volume.storageClass),
    capacity: { storage: writeQuantity('storage', volume.capacityBytes) },
    accessModes: volume.accessModes,
    volumeMode: volume.volumeMode,
    claimRef: volume.claimRef,
    nodeAffinity: mapOptional(volume.nodeAffinity, (terms) => ({ required: writeNodeSelector(terms) })),
    ...writeSource(volume.csi),
  }),
  status: { phase: volume.phase },
});
