import type { PodSet, ProvisioningRequest } from '@outrigger/core/model/cluster/provisioning-request.ts';
import { AUTOSCALING_GROUP } from './capacity-buffer.ts';
import { conditionsIn, writeCondition } from './condition.ts';
import {
  integerIn,
  itemsReader,
  labelsIn,
  type Manifest,
  manifest,
  nameIn,
  objectIn,
  readFields,
  unlessBlank,
  unlessEmpty,
} from './fields.ts';
import { fieldOf, type Reader, report } from './invalid.ts';
import {
  createdAtOf,
  generationOf,
  partsOf,
  nameOf,
  namespaceOf,
  resourceVersionOf,
  uidOf,
  writeMetadata,
} from './metadata.ts';

export const provisioningRequestReader: Reader<ProvisioningRequest> = (raw, place, problems) => {
  const { object, metadata, spec, at } = partsOf(raw, place, problems);
  const status = objectIn(object, 'status', place, problems);
  return {
    namespace: namespaceOf(metadata, problems),
    name: nameOf(metadata, problems),
    uid: uidOf(metadata, problems),
    generation: generationOf(metadata, problems),
    resourceVersion: resourceVersionOf(metadata, problems),
    createdAt: createdAtOf(metadata, problems),
    className: nameIn(spec, 'provisioningClassName', at, problems),
    podSets: podSetsIn(spec, 'podSets', at, problems),
    parameters: labelsIn(spec, 'parameters', at, problems),
    conditions: conditionsIn(status, 'conditions', fieldOf(place, 'status'), problems),
  };
};

const readPodSet: Reader<PodSet> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  const template = objectIn(fields, 'podTemplateRef', place, problems);
  const count = integerIn(fields, 'count', place, problems) ?? 0;
  if (count < 1) {
    report(problems, fieldOf(place, 'count'), 'an integer of at least 1', fields['count']);
  }
  return { podTemplate: nameIn(template, 'name', fieldOf(place, 'podTemplateRef'), problems), count };
};

const podSetsIn = itemsReader(readPodSet);

/** Writes a request as a manifest that reads as an equal one. */
export const writeProvisioningRequest = (of: ProvisioningRequest): Manifest => ({
  apiVersion: `${AUTOSCALING_GROUP}/v1`,
  kind: 'ProvisioningRequest',
  metadata: manifest({ ...writeMetadata(of), resourceVersion: unlessBlank(of.resourceVersion) }),
  spec: manifest({
    provisioningClassName: of.className,
    podSets: of.podSets.map(({ podTemplate, count }) => ({ podTemplateRef: { name: podTemplate }, count })),
    parameters: unlessEmpty(of.parameters),
  }),
  status: manifest({ conditions: of.conditions.map(writeCondition) }),
});
