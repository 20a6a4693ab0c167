import type { Scenario } from '../../core/model/scenario.ts';
import type { Random } from '../conformance/random.ts';

/** Lists whose order says something. */
const IN_ORDER: readonly RegExp[] = [
  // Given by the operator: the first that applies holds.
  /^options\.(expander|prices)$/,
  // The first that the cloud has is launched.
  /^nodeGroups\[\]\.alternatives$/,
  // As the owner of the pods wrote it: reservations tell kinds of pods by a hash of their spec.
  /\.spec\./,
  // Values of the stored state, which are written and read whole.
  /^state\.\w+\.[^.]+/,
];

/** The same scenario, with its lists in another order. */
export const permuted = (scenario: Scenario, chance: Random): Scenario => shuffled(scenario, chance, '') as Scenario;

function shuffled(value: unknown, chance: Random, path: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => shuffled(item, chance, `${path}[]`));
    return IN_ORDER.some((pattern) => pattern.test(path)) ? items : chance.some(items, items.length);
  }
  return value !== null && typeof value === 'object'
    ? Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, shuffled(one, chance, path === '' ? key : `${path}.${key}`)]),
      )
    : value;
}
