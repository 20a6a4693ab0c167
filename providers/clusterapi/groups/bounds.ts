import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import type { Range } from '@outrigger/core/model/options.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { quoted } from '@outrigger/core/model/values/clip.ts';
import type { ApiKeys } from '../api/resources.ts';

/** As Go's `strconv.Atoi` reads it, up to the largest number of replicas. */
const INTEGER = /^[+-]?\d{1,10}$/;
const MOST_REPLICAS = 2 ** 31 - 1;

/**
 * The bounds of a node group from the annotations of its resource; `null` for a resource that is none: it has neither
 * annotation, or a maximum of 0. A missing annotation is 0. Follows `parseScalingBounds` of Cluster Autoscaler's
 * clusterapi_utils.go.
 *
 * @returns the problem of invalid bounds, and what to do.
 */
export function boundsOf(annotations: Labels, { minSize, maxSize }: ApiKeys): Result<Range | null, string> {
  if (!Object.hasOwn(annotations, minSize) && !Object.hasOwn(annotations, maxSize)) {
    return ok(null);
  }
  const min = sizeOf(annotations, minSize);
  if (!min.ok) {
    return min;
  }
  const max = sizeOf(annotations, maxSize);
  if (!max.ok) {
    return max;
  }
  if (max.value < min.value) {
    const found = Object.hasOwn(annotations, maxSize) ? String(max.value) : 'no annotation';
    return problem(maxSize, `at least the minimum of ${min.value}`, found);
  }
  return ok(max.value === 0 ? null : { min: min.value, max: max.value });
}

function sizeOf(annotations: Labels, key: string): Result<number, string> {
  const text = annotations[key] ?? '0';
  const value = Number(text);
  if (!INTEGER.test(text) || value < 0 || value > MOST_REPLICAS) {
    return problem(key, `an integer from 0 to ${MOST_REPLICAS}`, quoted(text));
  }
  return ok(value + 0);
}

const problem = (key: string, expected: string, found: string): Result<never, string> =>
  err(`annotation ${key}: expected ${expected}, found ${found}; correct it`);
