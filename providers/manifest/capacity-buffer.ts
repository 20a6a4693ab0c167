import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import {
  ACTIVE_CAPACITY,
  type CapacityBuffer,
  type ScalableRef,
} from '@outrigger/core/model/cluster/capacity-buffer.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import {
  type Manifest,
  type SectionReader,
  integerIn,
  manifest,
  nameIn,
  objectIn,
  optionalObjectIn,
  stringIn,
  timeIn,
  unlessBlank,
} from './fields.ts';
import { namespaceOf, partsOf, writeMetadata } from './metadata.ts';
import { conditionsIn, writeCondition } from './condition.ts';

/** The API group of CapacityBuffers, ProvisioningRequests and CapacityQuotas. */
export const AUTOSCALING_GROUP = 'autoscaling.x-k8s.io';

export const capacityBufferReader: SectionReader<CapacityBuffer> = (from) => {
  const { metadata, spec } = partsOf(from);
  const status = objectIn(from, 'status');
  const template = optionalObjectIn(spec, 'podTemplateRef');
  const scalable = optionalObjectIn(spec, 'scalableRef');
  return {
    namespace: namespaceOf(metadata),
    name: nameIn(metadata, 'name'),
    uid: stringIn(metadata, 'uid'),
    generation: integerIn(metadata, 'generation') ?? 0,
    createdAt: timeIn(metadata, 'creationTimestamp'),
    strategy: stringIn(spec, 'provisioningStrategy') || ACTIVE_CAPACITY,
    podTemplate: mapOptional(template, (ref) => nameIn(ref, 'name')),
    scalable: mapOptional(scalable, readScalable),
    replicas: integerIn(spec, 'replicas'),
    percentage: integerIn(spec, 'percentage'),
    limits: amountsIn(spec, 'limits'),
    conditions: conditionsIn(status, 'conditions'),
    statusReplicas: integerIn(status, 'replicas'),
  };
};

const readScalable: SectionReader<ScalableRef> = (from) => ({
  apiGroup: stringIn(from, 'apiGroup'),
  kind: stringIn(from, 'kind'),
  name: nameIn(from, 'name'),
});

/** Writes a buffer as a manifest that reads as an equal one. */
export const writeCapacityBuffer = (of: CapacityBuffer): Manifest => ({
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
