import { nodeName } from '@outrigger/core/model/values/names.ts';
import type { VolumeAttachment } from '@outrigger/core/model/cluster/storage.ts';
import { type Manifest, booleanIn, manifest, nameIn, objectIn, optionalNameIn, readFields } from './fields.ts';
import { type Reader, fieldOf } from './invalid.ts';
import { metadataOf, nameOf, writeMetadata } from './metadata.ts';

export const volumeAttachmentReader: Reader<VolumeAttachment> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  const spec = objectIn(object, 'spec', place, problems);
  const at = fieldOf(place, 'spec');
  const status = objectIn(object, 'status', place, problems);
  return {
    name: nameOf(metadataOf(object, place, problems), problems),
    attacher: nameIn(spec, 'attacher', at, problems),
    nodeName: nodeName(nameIn(spec, 'nodeName', at, problems)),
    persistentVolume: optionalNameIn(
      objectIn(spec, 'source', at, problems),
      'persistentVolumeName',
      fieldOf(at, 'source'),
      problems,
    ),
    attached: booleanIn(status, 'attached', fieldOf(place, 'status'), problems),
  };
};

/** Writes an attachment as a manifest that reads as an equal one. */
export const writeVolumeAttachment = (of: VolumeAttachment): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: writeMetadata({ name: of.name }),
  spec: {
    attacher: of.attacher,
    nodeName: of.nodeName,
    source: manifest({ persistentVolumeName: of.persistentVolume }),
  },
  status: { attached: of.attached },
});
