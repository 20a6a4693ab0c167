/** A mutant that does what the code does. */
export interface Equivalent {
  readonly file: string;
  /** The line before and after, as the tool prints it. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [];
