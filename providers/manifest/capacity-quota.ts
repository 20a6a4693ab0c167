import type { CapacityQuota } from '@outrigger/core/model/cluster/capacity-quota.ts';
import { NO_RESOURCES } from '@outrigger/core/model/values/resources.ts';
import { compileSelector } from '@outrigger/core/scheduling/label-selector.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import { AUTOSCALING_GROUP } from './capacity-buffer.ts';
import { type Manifest, manifest, objectIn } from './fields.ts';
import { fieldOf, type Reader } from './invalid.ts';
import { nameOf, partsOf, writeMetadata } from './metadata.ts';
import { selectorIn, writeSelector } from './selectors.ts';

export const capacityQuotaReader: Reader<CapacityQuota> = (raw, place, problems) => {
  const { metadata, spec, at } = partsOf(raw, place, problems);
  const limits = objectIn(spec, 'limits', at, problems);
  const before = problems.length;
  const selector = selectorIn(spec, 'selector', at, problems);
  // The custom resource definition does not validate selectors.
  const compiled = problems.length === before ? compileSelector(selector) : null;
  if (compiled?.ok === false) {
    problems.push({ place: fieldOf(at, 'selector'), expected: 'a label selector', found: compiled.error });
  }
  return {
    name: nameOf(metadata, problems),
    selector,
    limits: amountsIn(limits, 'resources', fieldOf(at, 'limits'), problems) ?? NO_RESOURCES,
  };
};

/** Writes a quota as a manifest that reads as an equal one. */
export const writeCapacityQuota = (of: CapacityQuota): Manifest => ({
  apiVersion: `${AUTOSCALING_GROUP}/v1beta1`,
  kind: 'CapacityQuota',
  metadata: writeMetadata({ name: of.name }),
  spec: manifest({ selector: writeSelector(of.selector), limits: { resources: writeAmounts(of.limits) } }),
});
