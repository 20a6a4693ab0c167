/** How often something has been, by its name. */
export type Counts = Readonly<Record<string, number>>;

export interface Counter {
  readonly note: (name: string) => void;
  readonly counts: () => Counts;
}

/** @param names that are counted even if they never are. */
export function createCounter(names: readonly string[] = []): Counter {
  const counts = new Map(names.map((name) => [name, 0]));
  return {
    note: (name) => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    counts: () => Object.fromEntries(counts),
  };
}

export function summed(all: readonly Counts[]): Counts {
  const sums: Record<string, number> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) {
      sums[name] = (sums[name] ?? 0) + count;
    }
  }
  return sums;
}

export const countsInWords = (counts: Counts): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
