import type { PodSet, ProvisioningRequest } from '@outrigger/core/model/cluster/provisioning-request.ts';
import { conditionsIn, writeCondition } from './condition.ts';
import {
  type Manifest,
  type SectionReader,
  integerIn,
  itemsReader,
  labelsIn,
  manifest,
  nameIn,
  objectIn,
  reportIn,
  stringIn,
  timeIn,
  unlessBlank,
  unlessEmpty,
} from './fields.ts';
import { namespaceOf, partsOf, writeMetadata } from './metadata.ts';

export const provisioningRequestReader: SectionReader<ProvisioningRequest> = (from) => {
  const { metadata, spec } = partsOf(from);
  const status = objectIn(from, 'status');
  return {
    namespace: namespaceOf(metadata),
    name: nameIn(metadata, 'name'),
    uid: stringIn(metadata, 'uid'),
    generation: integerIn(metadata, 'generation') ?? 0,
    resourceVersion: stringIn(metadata, 'resourceVersion'),
    createdAt: timeIn(metadata, 'creationTimestamp'),
    className: nameIn(spec, 'provisioningClassName'),
    podSets: podSetsIn(spec, 'podSets'),
    parameters: labelsIn(spec, 'parameters'),
    conditions: conditionsIn(status, 'conditions'),
  };
};

const readPodSet: SectionReader<PodSet> = (from) => {
  const template = objectIn(from, 'podTemplateRef');
  const count = integerIn(from, 'count') ?? 0;
  if (count < 1) {
    reportIn(from, 'count', 'an integer of at least 1');
  }
  return { podTemplate: nameIn(template, 'name'), count };
};

const podSetsIn = itemsReader(readPodSet);

/** Writes a request as a manifest that reads as an equal one. */
export const writeProvisioningRequest = (of: ProvisioningRequest): Manifest => ({
  metadata: manifest({ ...writeMetadata(of), resourceVersion: unlessBlank(of.resourceVersion) }),
  spec: manifest({
    provisioningClassName: of.className,
    podSets: of.podSets.map(({ podTemplate, count }) => ({ podTemplateRef: { name: podTemplate }, count })),
    parameters: unlessEmpty(of.parameters),
  }),
  status: manifest({ conditions: of.conditions.map(writeCondition) }),
});
