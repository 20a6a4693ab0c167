import type { Node } from '../../model/cluster/node.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { Resources } from '../../model/values/resources.ts';

/** A way to help: raise this group by a number of nodes. */
export interface Option {
  readonly group: NodeGroup;
  readonly nodes: number;
  readonly pods: number;
  /** See `expanders/least-waste.ts`. */
  readonly waste: number;
  /**
   * The estimate was given up, because the first expander prefers another already: `nodes` and `pods` are of a part of
   * it, `waste` and `requested` are what the whole comes to at least and at most.
   */
  readonly cutShort: boolean;
  /** Similar groups, which may share the new nodes. */
  readonly similar: readonly NodeGroup[];
  /** A sample of the new nodes. */
  readonly node: Node;
  /** The sum of the pods' requests, every resource. */
  readonly requested: Resources;
}

/** An option while its nodes are still being counted. */
export interface PartOfOption {
  /** The groups that propose this option. */
  readonly groups: readonly NodeGroup[];
  /** A sample of the new nodes. */
  readonly node: Node;
  /** The least number. */
  readonly nodes: number;
  /** The most: all that a fresh node would take one of. */
  readonly pods: number;
  /** The sum of these pods' requests, every resource. */
  readonly requested: Resources;
}
