import type { PriorityClass } from '@outrigger/core/model/cluster/workloads.ts';
import { type Manifest, type SectionReader, booleanIn, integerIn, manifest, nameIn, objectIn } from './fields.ts';
import { writeMetadata } from './metadata.ts';

export const priorityClassReader: SectionReader<PriorityClass> = (from) => {
  const object = from;
  return {
    name: nameIn(objectIn(from, 'metadata'), 'name'),
    value: integerIn(object, 'value') ?? 0,
    globalDefault: booleanIn(object, 'globalDefault'),
  };
};

/** Writes a class as a manifest that reads as an equal one. */
export const writePriorityClass = (of: PriorityClass): Manifest =>
  manifest({
    metadata: writeMetadata({ name: of.name }),
    value: of.value,
    globalDefault: of.globalDefault || null,
  });
