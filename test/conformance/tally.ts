/** How often each reason was given, to see that all of them were met. */
export interface Tally {
  readonly count: (message: string) => void;
  readonly messages: () => number;
  /** A line for each reason, the most frequent first. */
  readonly table: () => string;
}

export function tally(): Tally {
  const reasons = new Map<string, number>();
  let messages = 0;
  return {
    count: (message) => {
      messages++;
      const parts = message
        .replace(/^[^:]*: /, '')
        .replace(/\.$/, '')
        .split(', ');
      for (const reason of new Set(parts.map(withoutNames))) {
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    },
    messages: () => messages,
    table: () =>
      [...reasons]
        .sort((a, b) => b[1] - a[1])
        .map(([reason, count]) => `${String(count).padStart(7)}  ${reason}`)
        .join('\n'),
  };
}

/** `3 feasible s1-n3` → `feasible …`, `persistentvolumeclaim "s1-c2" not found` → `persistentvolumeclaim "…" not found`. */
const withoutNames = (reason: string): string =>
  reason
    .replace(/^\d+ /, '')
    .replaceAll(/"[^"]*"/g, '"…"')
    .replaceAll(/ \S*\bs\d+-\S+/g, ' …');
