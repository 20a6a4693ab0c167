import type { PriorityClass } from '@outrigger/core/model/cluster/workloads.ts';
import { type Manifest, booleanIn, integerIn, manifest, readFields } from './fields.ts';
import type { Reader } from './invalid.ts';
import { metadataOf, nameOf, writeMetadata } from './metadata.ts';

export const priorityClassReader: Reader<PriorityClass> = (raw, place, problems) => {
  const object = readFields(raw, place, problems);
  return {
    name: nameOf(metadataOf(object, place, problems), problems),
    value: integerIn(object, 'value', place, problems) ?? 0,
    globalDefault: booleanIn(object, 'globalDefault', place, problems),
  };
};

/** Writes a class as a manifest that reads as an equal one. */
export const writePriorityClass = (of: PriorityClass): Manifest =>
  manifest({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: writeMetadata({ name: of.name }),
    value: of.value,
    globalDefault: of.globalDefault || null,
  });
