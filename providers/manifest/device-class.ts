import type { DeviceClass } from '@outrigger/core/model/cluster/device-class.ts';
import { type Manifest, manifest, optionalNameIn } from './fields.ts';
import type { Reader } from './invalid.ts';
import { nameOf, partsOf, writeMetadata } from './metadata.ts';

export const deviceClassReader: Reader<DeviceClass> = (raw, place, problems) => {
  const { metadata, spec, at } = partsOf(raw, place, problems);
  return {
    name: nameOf(metadata, problems),
    extendedResourceName: optionalNameIn(spec, 'extendedResourceName', at, problems),
  };
};

/** Writes a DeviceClass as a manifest that reads as an equal one. */
export const writeDeviceClass = ({ name, extendedResourceName }: DeviceClass): Manifest => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceClass',
  metadata: writeMetadata({ name }),
  spec: manifest({ extendedResourceName }),
});
