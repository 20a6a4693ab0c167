/** Something in a valid document that its author hardly means. */
export interface Doubt {
  readonly place: string;
  /** The unexpected fact, and its consequence. */
  readonly text: string;
}
