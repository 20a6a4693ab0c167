/** A time in which something lasted, in milliseconds since the epoch. */
export interface Spell {
  readonly from: number;
  /** Infinite: it goes on. */
  readonly to: number;
}

/** For how many milliseconds it has lasted from a time until now, in spells of which no two overlap. */
export const lasted = (spells: readonly Spell[], since: number, now: number): number =>
  spells.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, now) - Math.max(from, since)), 0);
