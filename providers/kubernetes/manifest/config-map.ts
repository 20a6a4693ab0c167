import type { ConfigMap } from '../../../core/model/workloads.ts';
import { type Manifest, labelsIn, readFields } from './fields.ts';
import { type Reader, settled } from './invalid.ts';
import { metadataOf, nameOf, namespaceOf, writeMetadata } from './metadata.ts';

export const configMapReader: Reader<ConfigMap> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  return {
    namespace: namespaceOf(metadata, problems),
    name: nameOf(metadata, problems),
    data: labelsIn(object, 'data', place, problems),
  };
};

/** Reads a ConfigMap. */
export const readConfigMap = settled(configMapReader);

/** Writes a ConfigMap as a manifest that reads as an equal one. */
export const writeConfigMap = (of: ConfigMap): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: writeMetadata({ namespace: of.namespace, name: of.name }),
  data: of.data,
});
