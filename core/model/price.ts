/** The real price of nodes, in place of the price that the cloud or a tag states. */
export interface StatedPrice {
  /** Selects the nodes to which the price applies: nodes that match all given fields. */
  readonly type: string | null;
  readonly zone: string | null;
  /** Purchase option: `on-demand`, `spot` … */
  readonly capacityType: string | null;
  /** USD per hour of one node. */
  readonly price: number;
  /** Number of nodes that cost so, as a savings plan or reserved instances cover them; `null`: all. */
  readonly covered: number | null;
}
