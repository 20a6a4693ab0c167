import type { DeviceClass } from '@outrigger/core/model/cluster/device-class.ts';
import { type Manifest, manifest, objectIn, optionalNameIn, readFields } from './fields.ts';
import { fieldOf, type Reader } from './invalid.ts';
import { metadataOf, nameOf, writeMetadata } from './metadata.ts';

export const deviceClassReader: Reader<DeviceClass> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  const spec = objectIn(object, 'spec', place, problems);
  return {
    name: nameOf(metadata, problems),
    extendedResourceName: optionalNameIn(spec, 'extendedResourceName', fieldOf(place, 'spec'), problems),
  };
};

/** Writes a DeviceClass as a manifest that reads as an equal one. */
export const writeDeviceClass = ({ name, extendedResourceName }: DeviceClass): Manifest => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceClass',
  metadata: writeMetadata({ name }),
  spec: manifest({ extendedResourceName }),
});
