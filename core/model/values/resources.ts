import { valueOf } from './records.ts';
import { roundUp } from './quantity.ts';

/**
 * Amounts by resource name. CPU is in milli-CPU, everything else in whole units (memory and storage in bytes, pods and
 * devices as counts). All are integers below 2^53 but for the requests of single containers, which may carry fractions.
 */
export type Resources = Readonly<Record<string, number>>;

export const CPU = 'cpu';
export const MEMORY = 'memory';
export const EPHEMERAL_STORAGE = 'ephemeral-storage';
export const PODS = 'pods';

export const NO_RESOURCES: Resources = Object.freeze({});

/** The stored amount of one unit of a quantity: CPU is kept in milli, the rest as it is. */
export const quantityScale = (resource: string): number => (resource === CPU ? 1_000 : 1);

export function addResources(a: Resources, b: Resources): Resources {
  const sum: Record<string, number> = { ...a };
  for (const name in b) {
    sum[name] = (valueOf(sum, name) ?? 0) + b[name]!;
  }
  return sum;
}

/** The larger of both for every resource that either names. */
export function maxResources(a: Resources, b: Resources): Resources {
  const max: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) {
    max[name] = Math.max(valueOf(max, name) ?? 0, amount);
  }
  return max;
}

/**
 * The largest share of the allocatable amount that the requests take of any resource; a resource that is not
 * allocatable counts for nothing.
 */
export const largestShare = (requests: Resources, allocatable: Resources): number =>
  Object.entries(requests).reduce((largest, [resource, amount]) => {
    const all = valueOf(allocatable, resource) ?? 0;
    return all > 0 ? Math.max(largest, amount / all) : largest;
  }, 0);

export const roundUpResources = (amounts: Resources): Resources =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, roundUp(amount)]));
