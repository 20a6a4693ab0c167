import { groupName } from '../../../../core/model/values/names.ts';
import type { NodeGroup } from '../../../../core/model/node-group.ts';
import type { Option } from '../../../../core/scaleup/expanders/expander.ts';
import { type Amounts, node, resources } from '../../../builders.ts';
import { group } from '../../../scenario-builders.ts';

export interface OptionGiven {
  readonly nodes?: number;
  readonly pods?: number;
  readonly waste?: number;
  /** USD per hour of one node. */
  readonly price?: number | null;
  /** Amounts of one node. */
  readonly node?: Amounts;
  /** Requests of all pods together. */
  readonly requested?: Amounts;
}

const priced = (name: string, price: number | null): NodeGroup => ({ ...group(name), name: groupName(name), price });

/** A node of 4 cpu and 16 GiB without a price, for one pod of half of it, unless told otherwise. */
export const option = (name: string, given: OptionGiven = {}): Option => ({
  group: priced(name, given.price ?? null),
  nodes: given.nodes ?? 1,
  pods: given.pods ?? 1,
  waste: given.waste ?? 1,
  incomplete: false,
  similar: [],
  node: node(`of-${name}`, given.node ?? { cpu: 4, memory: '16Gi' }),
  requested: resources(given.requested ?? { cpu: 2, memory: '8Gi' }),
});
