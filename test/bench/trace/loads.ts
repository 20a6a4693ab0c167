import { readLoad } from '../../../simulation/load/read-load.ts';
import { awaitingPods } from '../../../simulation/load/awaiting-pods.ts';
import type { DemoLoad } from '../../../simulation/load/load.ts';
import type { Span } from '../../../core/model/values/random.ts';
import { explainInvalid } from '../../../providers/manifest/invalid.ts';
import { type Chance, chanceFor } from '../../../simulation/chance.ts';
import type { RawLoad } from './documents.ts';
import { cpuLoad, fallLoad, TRACE_LOADS } from './trace-load.ts';
import { type Extent, webLoad } from './web-load.ts';

/** Loads of one kind. Settings are chosen on odd seeds, and judged on even ones. */
interface Family {
  /** Is the trace needed? */
  readonly traced: boolean;
  readonly make: (name: string, seed: number) => RawLoad;
}

/** A factor within this is drawn for what a family says of its Jobs, and of the density of a trace. */
const AROUND = 1.5;
const drawnAround = (value: number, chance: Chance): number => value * AROUND ** (2 * chance.next() - 1);

/** The hour of the peak, the swing between night and day, the noise and the Jobs of each load are drawn from its seed. */
function drawnExtent(
  seed: number,
  { jobsPerHour = 3, medianRun = 8 * 60, ...extent }: Partial<Extent>,
): Partial<Extent> {
  const chance = chanceFor(seed, 'extent');
  return {
    later: -4 + 8 * chance.next(),
    swing: 0.5 + 0.4 * chance.next(),
    noise: 0.02 + 0.04 * chance.next(),
    jobsPerHour: drawnAround(jobsPerHour, chance),
    medianRun: drawnAround(medianRun, chance),
    ...extent,
  };
}

const web = (extent: Partial<Extent>): Family => ({
  traced: false,
  make: (name, seed) => webLoad(name, seed, drawnExtent(seed, extent)),
});
/** Half a day that begins with a node of the dearest type, which nobody asked for. */
const withDearNode = (name: string, seed: number): RawLoad => {
  const load = webLoad(name, seed, drawnExtent(seed, { days: 0.5 }));
  const groups = load['nodeGroups'] as readonly { readonly name: string }[];
  return {
    ...load,
    nodeGroups: groups.map((group) => (group.name === DEAR_GROUP ? { ...group, desiredSize: 1 } : group)),
  };
};
const DEAR_GROUP = 'r5-12xlarge-a';
/** A seed stands for some days of the trace, which has pods on the days from 117 to 148: in three days pods come so many times as densely. */
const cpu = (about: number): Family => ({
  traced: true,
  make: (name, seed) => {
    const density = drawnAround(about, chanceFor(seed, 'density'));
    return cpuLoad(name, 117 + ((seed * 7) % (32 - 3 * density)), density, seed);
  },
});

/** By the first part of the name of a load: `web3-7` is of `web3`, with the seed 7. */
const FAMILY_OF: Readonly<Record<string, Family>> = {
  web3: web({}),
  'web3-large': web({ size: 3 }),
  'web3-batch': web({ jobsPerHour: 9 }),
  'web-dear': { traced: false, make: withDearNode },
  web7: web({ days: 7, weekend: 0.4 }),
  batch: web({ size: 0.1, jobsPerHour: 30 }),
  'batch-long': web({ size: 0.1, jobsPerHour: 8, medianRun: 40 * 60 }),
  cpu: cpu(1),
  'cpu-dense': cpu(6),
  fall: { traced: true, make: fallLoad },
};

export const FAMILIES: readonly string[] = Object.keys(FAMILY_OF);

/** A load as a document, and whether it needs the trace. */
interface NamedLoad {
  readonly traced: boolean;
  readonly make: () => RawLoad;
}

function namedLoad(name: string): NamedLoad | null {
  const excerpt = TRACE_LOADS[name];
  if (excerpt !== undefined) {
    return { traced: true, make: () => excerpt(1) };
  }
  const of = familyOf(name);
  const family = of !== name && Object.hasOwn(FAMILY_OF, of) ? FAMILY_OF[of] : undefined;
  const seed = Number(name.slice(of.length + 1));
  return family === undefined ? null : { traced: family.traced, make: () => family.make(name, seed) };
}

/** Which seeds of a family are run that is named without one. */
export interface Seeds {
  /** How many. */
  readonly seeds: number;
  readonly odd: boolean;
}

/** The names, with those of its loads in place of a family. */
export const loadsNamed = (names: readonly string[], { seeds, odd }: Seeds): readonly string[] =>
  names.flatMap((name) =>
    Object.hasOwn(FAMILY_OF, name)
      ? Array.from({ length: seeds }, (_, index) => `${name}-${2 * index + (odd ? 1 : 2)}`)
      : name,
  );

/** The family of a load; the name of a load without one. */
export const familyOf = (load: string): string => load.replace(/-\d{1,6}$/, '');

/** The loads that are run where none are named. */
export const LOAD_NAMES: readonly string[] = [...Object.keys(TRACE_LOADS), 'web3-1', 'web3-2', 'web3-3'];

/** Why there is no load of this name; `null`: there is one. */
export const unknownLoad = (name: string): string | null =>
  namedLoad(name) === null
    ? `expected one of ${Object.keys(TRACE_LOADS).join(', ')}, or a family and a seed such as web3-7 (${FAMILIES.join(', ')}), found ${name}`
    : null;

export const needsTrace = (name: string): boolean => namedLoad(name)?.traced === true;

/**
 * The load in which all nodes of a group take the median time until they are ready. The slowest twentieth of the waits
 * depends on boot times: with drawn boot times, the figure differs by 0.3 s from seed to seed (one standard deviation).
 */
export const withSteadyBoots = (load: DemoLoad): DemoLoad => ({
  ...load,
  groups: load.groups.map((group) => ({ ...group, boot: middleOf(group.boot), ready: middleOf(group.ready) })),
});

function middleOf({ min, max }: Span): Span {
  const middle = (min + max) / 2;
  return { min: middle, max: middle };
}

/** @param options Outrigger's, as a scenario has them. */
export function loadOf(name: string, options: Readonly<Record<string, unknown>>): DemoLoad {
  const read = readLoad({ ...namedLoad(name)!.make(), options });
  if (!read.ok) {
    throw new Error(`bench: the load ${name} is invalid: ${read.error.map(explainInvalid).join('; ')}`);
  }
  return awaitingPods(read.value);
}
