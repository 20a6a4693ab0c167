import type { NodeRequirement } from '@outrigger/core/model/cluster/selectors.ts';
import type { StorageClass } from '@outrigger/core/model/cluster/storage.ts';
import { type Manifest, itemsReader, manifest, nameIn, readFields, optionalStringIn, stringsIn } from './fields.ts';
import type { Reader } from './invalid.ts';
import { annotationsOf, metadataOf, nameOf, writeMetadata } from './metadata.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const DEFAULT_CLASS_BETA = 'storageclass.beta.kubernetes.io/is-default-class';

const readRequirement: Reader<NodeRequirement> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    key: nameIn(fields, 'key', place, problems),
    operator: 'In',
    values: stringsIn(fields, 'values', place, problems),
  };
};

const requirementsIn = itemsReader(readRequirement);

const readTopology: Reader<readonly NodeRequirement[]> = (raw, place, problems) =>
  requirementsIn(readFields(raw, place, problems), 'matchLabelExpressions', place, problems);

const topologiesIn = itemsReader(readTopology);

export const storageClassReader: Reader<StorageClass> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  const metadata = metadataOf(object, place, problems);
  const annotations = annotationsOf(metadata, problems);
  return {
    name: nameOf(metadata, problems),
    provisioner: nameIn(object, 'provisioner', place, problems),
    bindingMode: optionalStringIn(object, 'volumeBindingMode', place, problems) ?? 'Immediate',
    allowedTopologies: topologiesIn(object, 'allowedTopologies', place, problems),
    isDefault: annotations[DEFAULT_CLASS] === 'true' || annotations[DEFAULT_CLASS_BETA] === 'true',
  };
};

/** Writes a class as a manifest that reads as an equal one. */
export const writeStorageClass = (of: StorageClass): Manifest =>
  manifest({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: writeMetadata({ name: of.name, annotations: of.isDefault ? { [DEFAULT_CLASS]: 'true' } : {} }),
    provisioner: of.provisioner,
    volumeBindingMode: of.bindingMode,
    allowedTopologies: of.allowedTopologies.map((requirements) => ({
      matchLabelExpressions: requirements.map(({ key, values }) => ({ key, values })),
    })),
  });
