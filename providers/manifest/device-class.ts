import type { DeviceClass } from '@outrigger/core/model/cluster/device-class.ts';
import { type Manifest, type SectionReader, manifest, nameIn, optionalNameIn } from './fields.ts';
import { partsOf, writeMetadata } from './metadata.ts';

export const deviceClassReader: SectionReader<DeviceClass> = (from) => {
  const { metadata, spec } = partsOf(from);
  return {
    name: nameIn(metadata, 'name'),
    extendedResourceName: optionalNameIn(spec, 'extendedResourceName'),
  };
};

/** Writes a DeviceClass as a manifest that reads as an equal one. */
export const writeDeviceClass = ({ name, extendedResourceName }: DeviceClass): Manifest => ({
  metadata: writeMetadata({ name }),
  spec: manifest({ extendedResourceName }),
});
