import type { NodeGroup } from '../model/node-group.ts';

/** One way to help: raise this group by so many nodes. */
export interface Option {
  readonly group: NodeGroup;
  readonly nodes: number;
  readonly pods: number;
  /** See `expanders/least-waste.ts`. */
  readonly waste: number;
  /**
   * The estimate was given up, because this option wastes more than another already: `nodes` and `pods` are of a part of
   * it, and the whole would waste `waste` at least.
   */
  readonly cutShort: boolean;
  /** Groups that may share the new nodes with this one. */
  readonly similar: readonly NodeGroup[];
}
