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
