/** What nodes really cost, in place of the price that the cloud or a tag states. */
export interface StatedPrice {
  /** Which nodes: all of these that are given. */
  readonly type: string | null;
  readonly zone: string | null;
  /** How they are bought: `on-demand`, `spot` … */
  readonly capacityType: string | null;
  /** USD per hour of one node. */
  readonly price: number;
  /** Number of nodes that cost so, as a savings plan or reserved instances cover them; `null`: all. */
  readonly covered: number | null;
}
