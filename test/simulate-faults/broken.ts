import type { ProviderName } from '../../core/model/provider.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import type { Invariant } from './invariants/invariant.ts';
import { run, type Tamper } from './run.ts';

/** Something that is broken on purpose, and the invariant that finds it. */
export interface Broken {
  readonly name: string;
  readonly tamper: Tamper;
  readonly found: Invariant;
  /** AWS where nothing is said. */
  readonly provider?: ProviderName;
  /** Names of options that every run has. */
  readonly draw?: readonly string[];
}

/** What is stored is loaded otherwise than it is. */
export const withLoad = (
  change: (known: Awaited<ReturnType<StateStore['load']>>, world: SimulatedWorld) => object,
): Tamper => ({
  store: (store, world) => ({
    ...store,
    load: async (...call) => {
      const known = await store.load(...call);
      return { ...known, ...change(known, world) };
    },
  }),
});

/** Node groups are listed otherwise than they are. */
export const withGroups = (change: (groups: readonly NodeGroup[]) => readonly NodeGroup[]): Tamper => ({
  world: (world) => ({
    ...world,
    groups: { ...world.groups, list: async (...call) => change(await world.groups.list(...call)) },
  }),
});

/** How many seeds it takes until the invariant finds what is broken, as `npm run simulate-faults` runs them; `null`: more. */
export async function foundWithin(
  seeds: number,
  { tamper, found, provider = 'aws', draw = [] }: Broken,
): Promise<number | null> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    // On its own: what is broken may break other things first.
    const { violation } = await run({ seed, provider, draw, tamper, invariants: [found] });
    if (violation !== null) {
      return seed;
    }
  }
  return null;
}
