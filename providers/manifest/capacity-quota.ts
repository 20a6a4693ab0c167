import type { CapacityQuota } from '@outrigger/core/model/cluster/capacity-quota.ts';
import { NO_RESOURCES } from '@outrigger/core/model/values/resources.ts';
import { compileSelector } from '@outrigger/core/scheduling/label-selector.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import { type Manifest, type SectionReader, manifest, nameIn, objectIn } from './fields.ts';
import { fieldOf } from './invalid.ts';
import { partsOf, writeMetadata } from './metadata.ts';
import { selectorIn, writeSelector } from './selectors.ts';

export const capacityQuotaReader: SectionReader<CapacityQuota> = (from) => {
  const { metadata, spec } = partsOf(from);
  const limits = objectIn(spec, 'limits');
  const before = from.problems.length;
  const selector = selectorIn(spec, 'selector');
  // The custom resource definition does not validate selectors.
  const compiled = from.problems.length === before ? compileSelector(selector) : null;
  if (compiled?.ok === false) {
    from.problems.push({ place: fieldOf(spec.place, 'selector'), expected: 'a label selector', found: compiled.error });
  }
  return {
    name: nameIn(metadata, 'name'),
    selector,
    limits: amountsIn(limits, 'resources') ?? NO_RESOURCES,
  };
};

/** Writes a quota as a manifest that reads as an equal one. */
export const writeCapacityQuota = (of: CapacityQuota): Manifest => ({
  metadata: writeMetadata({ name: of.name }),
  spec: manifest({ selector: writeSelector(of.selector), limits: { resources: writeAmounts(of.limits) } }),
});
