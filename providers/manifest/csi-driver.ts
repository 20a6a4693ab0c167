import type { CsiDriver } from '@outrigger/core/model/cluster/storage.ts';
import { booleanIn, type Manifest } from './fields.ts';
import type { Reader } from './invalid.ts';
import { nameOf, partsOf, writeMetadata } from './metadata.ts';

export const csiDriverReader: Reader<CsiDriver> = (raw, place, problems) => {
  const { metadata, spec, at } = partsOf(raw, place, problems);
  return {
    name: nameOf(metadata, problems),
    preventPodSchedulingIfMissing: booleanIn(spec, 'preventPodSchedulingIfMissing', at, problems),
  };
};

/** Writes a CSIDriver as a manifest that reads as an equal one. */
export const writeCsiDriver = ({ name, preventPodSchedulingIfMissing }: CsiDriver): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: writeMetadata({ name }),
  spec: { preventPodSchedulingIfMissing },
});
