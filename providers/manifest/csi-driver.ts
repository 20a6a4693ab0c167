import type { CsiDriver } from '@outrigger/core/model/cluster/storage.ts';
import { booleanIn, type Manifest, objectIn, readFields } from './fields.ts';
import { fieldOf, type Reader } from './invalid.ts';
import { metadataOf, nameOf, writeMetadata } from './metadata.ts';

export const csiDriverReader: Reader<CsiDriver> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  const spec = objectIn(object, 'spec', place, problems);
  return {
    name: nameOf(metadata, problems),
    preventPodSchedulingIfMissing: booleanIn(spec, 'preventPodSchedulingIfMissing', fieldOf(place, 'spec'), problems),
  };
};

/** Writes a CSIDriver as a manifest that reads as an equal one. */
export const writeCsiDriver = ({ name, preventPodSchedulingIfMissing }: CsiDriver): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: writeMetadata({ name }),
  spec: { preventPodSchedulingIfMissing },
});
