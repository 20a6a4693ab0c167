import type { CsiDriver } from '@outrigger/core/model/cluster/storage.ts';
import { type Manifest, type SectionReader, booleanIn, nameIn } from './fields.ts';
import { partsOf, writeMetadata } from './metadata.ts';

export const csiDriverReader: SectionReader<CsiDriver> = (from) => {
  const { metadata, spec } = partsOf(from);
  return {
    name: nameIn(metadata, 'name'),
    preventPodSchedulingIfMissing: booleanIn(spec, 'preventPodSchedulingIfMissing'),
  };
};

/** Writes a CSIDriver as a manifest that reads as an equal one. */
export const writeCsiDriver = ({ name, preventPodSchedulingIfMissing }: CsiDriver): Manifest => ({
  metadata: writeMetadata({ name }),
  spec: { preventPodSchedulingIfMissing },
});
