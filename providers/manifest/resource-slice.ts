import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { ResourceSlice } from '@outrigger/core/model/cluster/resource-slice.ts';
import { nodeName } from '@outrigger/core/model/values/names.ts';
import { itemsReader, type Manifest, manifest, nameIn, optionalNameIn, readFields } from './fields.ts';
import type { Reader } from './invalid.ts';
import { nameOf, partsOf, writeMetadata } from './metadata.ts';

/** Devices are counted alone: a slice has up to 128 of them, with attributes. */
const devicesIn = itemsReader<object>(readFields);

export const resourceSliceReader: Reader<ResourceSlice> = (raw, place, problems) => {
  const { metadata, spec, at } = partsOf(raw, place, problems);
  const node = optionalNameIn(spec, 'nodeName', at, problems);
  return {
    name: nameOf(metadata, problems),
    driver: nameIn(spec, 'driver', at, problems),
    nodeName: mapOptional(node, nodeName),
    devices: devicesIn(spec, 'devices', at, problems).length,
  };
};

/** Writes a slice as a manifest that reads as an equal one. */
export const writeResourceSlice = (of: ResourceSlice): Manifest => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: writeMetadata({ name: of.name }),
  spec: manifest({
    driver: of.driver,
    nodeName: of.nodeName,
    devices: Array.from({ length: of.devices }, (_, i) => ({ name: `device-${i}` })),
  }),
});
