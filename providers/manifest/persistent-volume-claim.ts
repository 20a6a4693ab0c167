import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { PersistentVolumeClaim } from '@outrigger/core/model/cluster/storage.ts';
import { bytesIn, writeQuantity } from './amounts.ts';
import {
  type Manifest,
  type SectionReader,
  labelsIn,
  manifest,
  nameIn,
  objectIn,
  optionalStringIn,
  stringIn,
  stringsIn,
  timeIn,
  unlessBlank,
} from './fields.ts';
import { controllerOf, namespaceOf, partsOf, writeMetadata } from './metadata.ts';
import { STORAGE_CLASS_ANNOTATION, writeDeleted } from './persistent-volume.ts';
import { selectorIn, writeSelector } from './selectors.ts';

export const persistentVolumeClaimReader: SectionReader<PersistentVolumeClaim> = (from) => {
  const { metadata, spec } = partsOf(from);
  const resources = objectIn(spec, 'resources');
  const requests = objectIn(resources, 'requests');
  const annotations = labelsIn(metadata, 'annotations');
  const owner = controllerOf(metadata);
  return {
    namespace: namespaceOf(metadata),
    name: nameIn(metadata, 'name'),
    uid: stringIn(metadata, 'uid'),
    labels: labelsIn(metadata, 'labels'),
    annotations,
    storageClass: annotations[STORAGE_CLASS_ANNOTATION] ?? optionalStringIn(spec, 'storageClassName'),
    volumeName: stringIn(spec, 'volumeName'),
    volumeMode: optionalStringIn(spec, 'volumeMode') ?? 'Filesystem',
    accessModes: stringsIn(spec, 'accessModes'),
    requestBytes: bytesIn(requests, 'storage'),
    selector: selectorIn(spec, 'selector'),
    phase: optionalStringIn(objectIn(from, 'status'), 'phase') ?? 'Pending',
    ownerPodUid: owner?.kind === 'Pod' ? owner.uid : null,
    deleted: timeIn(metadata, 'deletionTimestamp') !== null,
  };
};

/** Writes a claim as a manifest that reads as an equal one. */
export const writePersistentVolumeClaim = (claim: PersistentVolumeClaim): Manifest => ({
  metadata: {
    ...writeMetadata({
      namespace: claim.namespace,
      name: claim.name,
      uid: claim.uid,
      labels: claim.labels,
      annotations: claim.annotations,
      controller: mapOptional(claim.ownerPodUid, (uid) => ({ apiVersion: 'v1', kind: 'Pod', name: claim.name, uid })),
    }),
    ...writeDeleted(claim.deleted),
  },
  spec: manifest({
    storageClassName: claim.storageClass,
    volumeName: unlessBlank(claim.volumeName),
    volumeMode: claim.volumeMode,
    accessModes: claim.accessModes,
    resources: { requests: { storage: writeQuantity('storage', claim.requestBytes) } },
    selector: writeSelector(claim.selector),
  }),
  status: { phase: claim.phase },
});
