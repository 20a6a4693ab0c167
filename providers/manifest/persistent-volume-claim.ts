import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { PersistentVolumeClaim } from '@outrigger/core/model/cluster/storage.ts';
import { bytesIn, writeQuantity } from './amounts.ts';
import { type Manifest, manifest, objectIn, optionalStringIn, stringIn, stringsIn, unlessBlank } from './fields.ts';
import { type Reader, fieldOf } from './invalid.ts';
import {
  annotationsOf,
  controllerOf,
  deletedAtOf,
  labelsOf,
  partsOf,
  nameOf,
  namespaceOf,
  uidOf,
  writeMetadata,
} from './metadata.ts';
import { STORAGE_CLASS_ANNOTATION, writeDeleted } from './persistent-volume.ts';
import { selectorIn, writeSelector } from './selectors.ts';

export const persistentVolumeClaimReader: Reader<PersistentVolumeClaim> = (raw, place, problems) => {
  const { object, metadata, spec, at } = partsOf(raw, place, problems);
  const resources = objectIn(spec, 'resources', at, problems);
  const atResources = fieldOf(at, 'resources');
  const requests = objectIn(resources, 'requests', atResources, problems);
  const annotations = annotationsOf(metadata, problems);
  const owner = controllerOf(metadata, problems);
  return {
    namespace: namespaceOf(metadata, problems),
    name: nameOf(metadata, problems),
    uid: uidOf(metadata, problems),
    labels: labelsOf(metadata, problems),
    annotations,
    storageClass: annotations[STORAGE_CLASS_ANNOTATION] ?? optionalStringIn(spec, 'storageClassName', at, problems),
    volumeName: stringIn(spec, 'volumeName', at, problems),
    volumeMode: optionalStringIn(spec, 'volumeMode', at, problems) ?? 'Filesystem',
    accessModes: stringsIn(spec, 'accessModes', at, problems),
    requestBytes: bytesIn(requests, 'storage', fieldOf(atResources, 'requests'), problems),
    selector: selectorIn(spec, 'selector', at, problems),
    phase:
      optionalStringIn(objectIn(object, 'status', place, problems), 'phase', fieldOf(place, 'status'), problems) ??
      'Pending',
    ownerPodUid: owner?.kind === 'Pod' ? owner.uid : null,
    deleted: deletedAtOf(metadata, problems) !== null,
  };
};

/** Writes a claim as a manifest that reads as an equal one. */
export const writePersistentVolumeClaim = (claim: PersistentVolumeClaim): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
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
