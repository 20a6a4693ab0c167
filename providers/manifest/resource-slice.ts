import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { ResourceSlice } from '@outrigger/core/model/cluster/resource-slice.ts';
import { nodeName } from '@outrigger/core/model/values/names.ts';
import { type Manifest, type SectionReader, itemsReader, manifest, nameIn, optionalNameIn } from './fields.ts';
import { partsOf, writeMetadata } from './metadata.ts';

/** Devices are counted alone: a slice has up to 128 of them, with attributes. */
const devicesIn = itemsReader((device) => device);

export const resourceSliceReader: SectionReader<ResourceSlice> = (from) => {
  const { metadata, spec } = partsOf(from);
  const node = optionalNameIn(spec, 'nodeName');
  return {
    name: nameIn(metadata, 'name'),
    driver: nameIn(spec, 'driver'),
    nodeName: mapOptional(node, nodeName),
    devices: devicesIn(spec, 'devices').length,
  };
};

/** Writes a slice as a manifest that reads as an equal one. */
export const writeResourceSlice = (of: ResourceSlice): Manifest => ({
  metadata: writeMetadata({ name: of.name }),
  spec: manifest({
    driver: of.driver,
    nodeName: of.nodeName,
    devices: Array.from({ length: of.devices }, (_, i) => ({ name: `device-${i}` })),
  }),
});
