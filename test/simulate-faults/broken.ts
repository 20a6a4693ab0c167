import type { ProviderName } from '../../core/model/provider.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import type { ClusterObjects } from '../../core/model/scenario.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import type { Invariant } from './invariants/invariant.ts';
import { run, type Tamper } from './run.ts';
import { OF_FUNCTIONS } from './strikes.ts';

/** Something that is broken on purpose, and the invariant that finds it. */
export interface Broken {
  readonly name: string;
  readonly tamper: Tamper;
  readonly found: Invariant;
  /** A seed, or one a little before it, where what is broken matters; 1 where nothing is said. */
  readonly from?: number;
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

/** The cluster is read otherwise than it is. */
export const reading = (change: (objects: ClusterObjects) => Partial<ClusterObjects>): Tamper => ({
  world: (world) => ({
    ...world,
    reader: {
      ...world.reader,
      read: async (...call) => {
        const seen = await world.reader.read(...call);
        return { ...seen, objects: { ...seen.objects, ...change(seen.objects) } };
      },
    },
  }),
});

/** Without faults of functions, as few cases are excused. */
const SEEDS = 16;

/** What the invariant says of it, in the first of some runs in which it finds anything; `null`: in none. */
export async function findingOf({ tamper, found, from = 1, provider, draw = [] }: Broken): Promise<string | null> {
  for (let seed = from; seed < from + SEEDS; seed += 1) {
    // On its own: what is broken may break other things first.
    const { violation } = await run({
      seed,
      ...(provider !== undefined && { provider }),
      draw,
      tamper,
      invariants: [found],
      without: OF_FUNCTIONS,
    });
    if (violation !== null) {
      return violation.what;
    }
  }
  return null;
}
