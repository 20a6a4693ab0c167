import type { GroupName } from '../model/names.ts';
import type { NodeGroup } from '../model/node-group.ts';

/** One way to help: raise this group by so many nodes. */
export interface Option {
  readonly group: NodeGroup;
  readonly nodes: number;
  readonly pods: number;
  /** See `expanders/least-waste.ts`. */
  readonly waste: number;
  /** Groups that may share the new nodes with this one. */
  readonly similar: readonly NodeGroup[];
}

export const optionGroup = (option: Option): GroupName => option.group.name;
