import type { Namespace } from '@outrigger/core/model/cluster/workloads.ts';
import { type Manifest, readFields } from './fields.ts';
import type { Reader } from './invalid.ts';
import { labelsOf, metadataOf, nameOf, writeMetadata } from './metadata.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';

export const namespaceReader: Reader<Namespace> = (raw, place, problems) => {
  const metadata = metadataOf(readFields(raw, place, problems), place, problems);
  const name = nameOf(metadata, problems);
  // The API server sets this label; a file may omit it, and namespace selectors depend on it.
  return { name, labels: { ...labelsOf(metadata, problems), [NAME_LABEL]: name } };
};

/** Writes a namespace as a manifest that reads as an equal one. */
export const writeNamespace = (of: Namespace): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: writeMetadata(of),
});
