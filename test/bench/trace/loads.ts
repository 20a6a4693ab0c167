import { readLoad } from '../../../cli/demo/load/read-load.ts';
import type { Load } from '../../../cli/demo/load/load.ts';
import type { Span } from '../../../providers/simulated/chance.ts';
import { explainInvalid } from '../../../providers/manifest/invalid.ts';
import type { RawLoad } from './documents.ts';
import { TRACE_LOADS } from './trace-load.ts';
import { webLoad } from './web-load.ts';

const WEB_SEEDS = [1, 2, 3];

/** By name: a load as a document, and whether it needs the trace. */
const LOADS: Readonly<Record<string, { readonly traced: boolean; readonly make: () => RawLoad }>> = {
  ...Object.fromEntries(
    Object.entries(TRACE_LOADS).map(([name, make]) => [name, { traced: true, make: () => make(1) }]),
  ),
  ...Object.fromEntries(
    WEB_SEEDS.map((seed) => [`web3-${seed}`, { traced: false, make: () => webLoad(`web3-${seed}`, seed) }]),
  ),
};

export const LOAD_NAMES: readonly string[] = Object.keys(LOADS);

export const needsTrace = (name: string): boolean => LOADS[name]!.traced;

/**
 * The load in which all nodes of a group take the median time until they are ready. The slowest twentieth of the waits
 * depends on boot times: with drawn boot times, the figure differs by 0.3 s from seed to seed (one standard deviation).
 */
export const withSteadyBoots = (load: Load): Load => ({
  ...load,
  groups: load.groups.map((group) => ({ ...group, boot: middleOf(group.boot), ready: middleOf(group.ready) })),
});

function middleOf({ min, max }: Span): Span {
  const middle = (min + max) / 2;
  return { min: middle, max: middle };
}

/** @param options Outrigger's, as a scenario has them. */
export function loadOf(name: string, options: Readonly<Record<string, unknown>>): Load {
  const read = readLoad({ ...LOADS[name]!.make(), options });
  if (!read.ok) {
    throw new Error(`bench: the load ${name} is invalid: ${read.error.map(explainInvalid).join('; ')}`);
  }
  return read.value;
}
