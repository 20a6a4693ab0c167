/** The nodes of a cluster with their pods, before and after a decision: data for a drawing, small enough for a page. */
export interface Picture {
  readonly groups: readonly PictureGroup[];
  /** Pods without a node, with the outcome of each. */
  readonly pending: readonly PicturePod[];
}

export interface PictureGroup {
  /** `null`: the nodes of no node group. */
  readonly name: string | null;
  readonly nodes: readonly PictureNode[];
  /** Number of nodes that are left out of `nodes`. */
  readonly undrawn?: number;
}

/** `unfilled`: the pods of the node are not known. */
export type PictureState = 'used' | 'idle' | 'unneeded' | 'leaving' | 'booting' | 'unfilled';

export interface PictureNode {
  readonly name: string;
  readonly state: PictureState;
  /** Whether the node exists before and after the decision. */
  readonly when: When;
  readonly pods: readonly PicturePod[];
  /** Why the node is kept, added or removed; empty if there is no more to say. */
  readonly note: string;
}

export interface PicturePod {
  readonly name: string;
  /** Percent of the node's larger resource by use, CPU or memory: of a node that is full they sum up to 100. */
  readonly share: number;
  readonly when: When;
  readonly note: string;
}

/** A node that a decision adds to a group. */
export const addedNode = (group: string, index: number, pods: readonly PicturePod[], note: string): PictureNode => ({
  name: `new node ${index + 1} of ${group}`,
  state: 'booting',
  when: 'after',
  pods,
  note,
});

/** Whether something is there on both sides of a decision, or on one. */
export type When = 'both' | 'before' | 'after';
export type Side = Exclude<When, 'both'>;

export const isShown = ({ when }: { readonly when: When }, side: Side): boolean => when === 'both' || when === side;

/** The first nodes to be drawn where not all can be: nodes that a decision adds or removes, then unneeded ones. */
const priorityOf = ({ when, state }: PictureNode): number => (when === 'both' ? Number(state !== 'unneeded') + 1 : 0);

/** The picture with at most that number of nodes, in their order. */
export function limitNodes(picture: Picture, most: number): Picture {
  const nodes = picture.groups.flatMap((group) => group.nodes);
  const drawn = new Set(nodes.toSorted((a, b) => priorityOf(a) - priorityOf(b)).slice(0, most));
  const groups = picture.groups.map(({ name, nodes: all }) => {
    const left = all.filter((node) => drawn.has(node));
    return { name, nodes: left, undrawn: all.length - left.length };
  });
  return { groups, pending: picture.pending };
}
