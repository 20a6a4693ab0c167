import { nodeName } from '@outrigger/core/model/values/names.ts';
import type { VolumeAttachment } from '@outrigger/core/model/cluster/storage.ts';
import { type Manifest, type SectionReader, booleanIn, manifest, nameIn, objectIn, optionalNameIn } from './fields.ts';
import { writeMetadata } from './metadata.ts';

export const volumeAttachmentReader: SectionReader<VolumeAttachment> = (from) => {
  const spec = objectIn(from, 'spec');
  const status = objectIn(from, 'status');
  return {
    name: nameIn(objectIn(from, 'metadata'), 'name'),
    attacher: nameIn(spec, 'attacher'),
    nodeName: nodeName(nameIn(spec, 'nodeName')),
    persistentVolume: optionalNameIn(objectIn(spec, 'source'), 'persistentVolumeName'),
    attached: booleanIn(status, 'attached'),
  };
};

/** Writes an attachment as a manifest that reads as an equal one. */
export const writeVolumeAttachment = (of: VolumeAttachment): Manifest => ({
  metadata: writeMetadata({ name: of.name }),
  spec: {
    attacher: of.attacher,
    nodeName: of.nodeName,
    source: manifest({ persistentVolumeName: of.persistentVolume }),
  },
  status: { attached: of.attached },
});
