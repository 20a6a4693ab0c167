import type { NodeRequirement } from '@outrigger/core/model/cluster/selectors.ts';
import type { StorageClass } from '@outrigger/core/model/cluster/storage.ts';
import {
  type Manifest,
  type SectionReader,
  itemsReader,
  labelsIn,
  manifest,
  nameIn,
  objectIn,
  optionalStringIn,
  stringsIn,
} from './fields.ts';
import { writeMetadata } from './metadata.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const DEFAULT_CLASS_BETA = 'storageclass.beta.kubernetes.io/is-default-class';

const readRequirement: SectionReader<NodeRequirement> = (from) => ({
  key: nameIn(from, 'key'),
  operator: 'In',
  values: stringsIn(from, 'values'),
});

const requirementsIn = itemsReader(readRequirement);

const readTopology: SectionReader<readonly NodeRequirement[]> = (from) => requirementsIn(from, 'matchLabelExpressions');

const topologiesIn = itemsReader(readTopology);

export const storageClassReader: SectionReader<StorageClass> = (from) => {
  const object = from;
  const metadata = objectIn(from, 'metadata');
  const annotations = labelsIn(metadata, 'annotations');
  return {
    name: nameIn(metadata, 'name'),
    provisioner: nameIn(object, 'provisioner'),
    bindingMode: optionalStringIn(object, 'volumeBindingMode') ?? 'Immediate',
    allowedTopologies: topologiesIn(object, 'allowedTopologies'),
    isDefault: annotations[DEFAULT_CLASS] === 'true' || annotations[DEFAULT_CLASS_BETA] === 'true',
  };
};

/** Writes a class as a manifest that reads as an equal one. */
export const writeStorageClass = (of: StorageClass): Manifest =>
  manifest({
    metadata: writeMetadata({ name: of.name, annotations: of.isDefault ? { [DEFAULT_CLASS]: 'true' } : {} }),
    provisioner: of.provisioner,
    volumeBindingMode: of.bindingMode,
    allowedTopologies: of.allowedTopologies.map((requirements) => ({
      matchLabelExpressions: requirements.map(({ key, values }) => ({ key, values })),
    })),
  });
