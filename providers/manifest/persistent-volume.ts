import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { PersistentVolume } from '@outrigger/core/model/cluster/storage.ts';
import { bytesIn, writeQuantity } from './amounts.ts';
import {
  type Manifest,
  type Section,
  type SectionReader,
  labelsIn,
  manifest,
  nameIn,
  objectIn,
  optionalObjectIn,
  optionalStringIn,
  stringIn,
  stringsIn,
  timeIn,
  unlessBlank,
} from './fields.ts';
import { partsOf, writeMetadata } from './metadata.ts';
import { nodeSelectorIn, writeNodeSelector } from './selectors.ts';

/** Older than `storageClassName`, and takes precedence over it. */
export const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const EBS_DRIVER = 'ebs.csi.aws.com';

export const persistentVolumeReader: SectionReader<PersistentVolume> = (from) => {
  const { metadata, spec } = partsOf(from);
  const affinity = objectIn(spec, 'nodeAffinity');
  return {
    name: nameIn(metadata, 'name'),
    labels: labelsIn(metadata, 'labels'),
    storageClass: labelsIn(metadata, 'annotations')[STORAGE_CLASS_ANNOTATION] ?? stringIn(spec, 'storageClassName'),
    capacityBytes: bytesIn(objectIn(spec, 'capacity'), 'storage'),
    accessModes: stringsIn(spec, 'accessModes'),
    volumeMode: optionalStringIn(spec, 'volumeMode') ?? 'Filesystem',
    phase: optionalStringIn(objectIn(from, 'status'), 'phase') ?? 'Pending',
    claimRef: claimIn(spec),
    nodeAffinity: nodeSelectorIn(affinity, 'required'),
    csi: csiIn(spec),
    deleted: timeIn(metadata, 'deletionTimestamp') !== null,
  };
};

function claimIn(spec: Section): PersistentVolume['claimRef'] {
  const claim = optionalObjectIn(spec, 'claimRef');
  if (claim === null) {
    return null;
  }
  return {
    namespace: stringIn(claim, 'namespace') || 'default',
    name: nameIn(claim, 'name'),
    uid: stringIn(claim, 'uid'),
  };
}

function csiIn(spec: Section): PersistentVolume['csi'] {
  const csi = optionalObjectIn(spec, 'csi');
  if (csi !== null) {
    return {
      driver: nameIn(csi, 'driver'),
      handle: nameIn(csi, 'volumeHandle'),
      inTree: false,
    };
  }
  const ebs = optionalObjectIn(spec, 'awsElasticBlockStore');
  if (ebs === null) {
    return null;
  }
  const volume = nameIn(ebs, 'volumeID');
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
