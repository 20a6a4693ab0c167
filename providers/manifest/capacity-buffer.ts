import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import {
  ACTIVE_CAPACITY,
  type CapacityBuffer,
  type ScalableRef,
} from '@outrigger/core/model/cluster/capacity-buffer.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import {
  integerIn,
  type Manifest,
  manifest,
  nameIn,
  objectIn,
  optionalObjectIn,
  readFields,
  stringIn,
  unlessBlank,
} from './fields.ts';
import { conditionsIn, writeCondition } from './condition.ts';
import { type Reader, fieldOf } from './invalid.ts';
import { createdAtOf, generationOf, partsOf, nameOf, namespaceOf, uidOf, writeMetadata } from './metadata.ts';

/** The API group of CapacityBuffers, ProvisioningRequests and CapacityQuotas. */
export const AUTOSCALING_GROUP = 'autoscaling.x-k8s.io';

export const capacityBufferReader: Reader<CapacityBuffer> = (raw, place, problems) => {
  const { object, metadata, spec, at } = partsOf(raw, place, problems);
  const status = objectIn(object, 'status', place, problems);
  const template = optionalObjectIn(spec, 'podTemplateRef', at, problems);
  const scalable = optionalObjectIn(spec, 'scalableRef', at, problems);
  return {
    namespace: namespaceOf(metadata, problems),
    name: nameOf(metadata, problems),
    uid: uidOf(metadata, problems),
    generation: generationOf(metadata, problems),
    createdAt: createdAtOf(metadata, problems),
    strategy: stringIn(spec, 'provisioningStrategy', at, problems) || ACTIVE_CAPACITY,
    podTemplate: mapOptional(template, (ref) => nameIn(ref, 'name', fieldOf(at, 'podTemplateRef'), problems)),
    scalable: mapOptional(scalable, (ref) => readScalable(ref, fieldOf(at, 'scalableRef'), problems)),
    replicas: integerIn(spec, 'replicas', at, problems),
    percentage: integerIn(spec, 'percentage', at, problems),
    limits: amountsIn(spec, 'limits', at, problems),
    conditions: conditionsIn(status, 'conditions', fieldOf(place, 'status'), problems),
    statusReplicas: integerIn(status, 'replicas', fieldOf(place, 'status'), problems),
  };
};

const readScalable: Reader<ScalableRef> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    apiGroup: stringIn(fields, 'apiGroup', place, problems),
    kind: stringIn(fields, 'kind', place, problems),
    name: nameIn(fields, 'name', place, problems),
  };
};

/** Writes a buffer as a manifest that reads as an equal one. */
export const writeCapacityBuffer = (of: CapacityBuffer): Manifest => ({
  apiVersion: `${AUTOSCALING_GROUP}/v1beta1`,
  kind: 'CapacityBuffer',
  metadata: writeMetadata(of),
  spec: manifest({
    provisioningStrategy: of.strategy,
    podTemplateRef: mapOptional(of.podTemplate, (name) => ({ name })),
    scalableRef: mapOptional(of.scalable, ({ apiGroup, kind, name }) =>
      manifest({ apiGroup: unlessBlank(apiGroup), kind, name }),
    ),
    replicas: of.replicas,
    percentage: of.percentage,
    limits: mapOptional(of.limits, writeAmounts),
  }),
  status: manifest({ replicas: of.statusReplicas, conditions: of.conditions.map(writeCondition) }),
});
