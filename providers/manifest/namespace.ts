import type { Namespace } from '@outrigger/core/model/cluster/workloads.ts';
import { type Manifest, type SectionReader, labelsIn, nameIn, objectIn } from './fields.ts';
import { writeMetadata } from './metadata.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';

export const namespaceReader: SectionReader<Namespace> = (from) => {
  const metadata = objectIn(from, 'metadata');
  const name = nameIn(metadata, 'name');
  // The API server sets this label; a file may omit it, and namespace selectors depend on it.
  return { name, labels: { ...labelsIn(metadata, 'labels'), [NAME_LABEL]: name } };
};

/** Writes a namespace as a manifest that reads as an equal one. */
export const writeNamespace = (of: Namespace): Manifest => ({
  metadata: writeMetadata(of),
});
