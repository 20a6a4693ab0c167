import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import type { GroupOptions } from '@outrigger/core/model/options.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { type DraftOptions, readGroupOption } from '../../node-groups/option-texts.ts';
import type { ApiKeys } from '../api/resources.ts';

/**
 * The options of a node group, from annotations such as `cluster.x-k8s.io/autoscaling-options-scaledownunneededtime`. As
 * with Cluster Autoscaler an option that is unknown or empty is ignored, one that is malformed counts as absent, and upper
 * case means the same as lower.
 */
export function optionsOf(
  annotations: Labels,
  { optionPrefix }: ApiKeys,
): { readonly options: Partial<GroupOptions>; readonly malformed: readonly RejectedObject[] } {
  const options: DraftOptions = {};
  const malformed: RejectedObject[] = [];
  const keys = Object.keys(annotations).filter((key) => key.startsWith(optionPrefix));
  for (const key of keys.filter((one) => annotations[one] !== '').toSorted(byName)) {
    const found = getOwn(annotations, key);
    const expected = readGroupOption(options, key.slice(optionPrefix.length), found.toLowerCase());
    if (expected !== null) {
      malformed.push({ place: `annotation ${key}`, expected, found: JSON.stringify(found) });
    }
  }
  return { options, malformed };
}
