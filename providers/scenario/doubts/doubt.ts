/** Something in a valid document that its author hardly means. */
export interface Doubt {
  readonly place: string;
  /** What is unexpected, and what comes of it. */
  readonly text: string;
}
