import { NO_OBJECTS } from '@outrigger/core/model/scenario.ts';
import { type NodeGroup, nodePricesOf } from '@outrigger/core/model/node-group.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { withStatedPrices } from '@outrigger/core/nodegroups/stated-prices.ts';
import { nodeGroupOf } from '../cloud/groups.ts';
import type { SimulatedScalingGroup } from '../cloud/scaling-group.ts';
import type { DemoLoad } from './load.ts';

type Prices = ReadonlyMap<GroupName, number | null>;

const toNodeGroup = (group: SimulatedScalingGroup, desired: number): NodeGroup =>
  nodeGroupOf({ group, desired, instances: [], error: null }, new Map());

/**
 * Mean prices of the nodes of simulated groups, with the prices that options state: USD per hour, `null` where unknown.
 *
 * @param sizes groups without a size have no price.
 */
export function meanPrices(
  { groups, options }: Pick<DemoLoad, 'groups' | 'options'>,
  sizes: ReadonlyMap<GroupName, number>,
): Prices {
  const nodeGroups = groups.flatMap((group) => {
    const size = sizes.get(group.name);
    return size === undefined ? [] : [toNodeGroup(group, size)];
  });
  const stated = withStatedPrices({ options, nodeGroups, objects: NO_OBJECTS });
  return new Map(stated.nodeGroups.map((group) => [group.name, nodePricesOf(group).mean]));
}

/** Prices of further nodes, where a stated price covers no more of them; where no other is known, the mean. */
export function pricesOfNodes(nodeGroups: readonly NodeGroup[], options: Options): Prices {
  const stated = withStatedPrices({ options, nodeGroups, objects: NO_OBJECTS });
  return new Map(
    stated.nodeGroups.map((group) => {
      const { uncovered, mean } = nodePricesOf(group);
      return [group.name, uncovered ?? mean];
    }),
  );
}

/** The load at stated prices, for what knows the prices of groups alone. */
export function atStatedPrices<T extends Pick<DemoLoad, 'groups' | 'options'>>(load: T): T {
  const prices = pricesOfNodes(
    load.groups.map((group) => toNodeGroup(group, group.desiredSize)),
    load.options,
  );
  return { ...load, groups: load.groups.map((group) => ({ ...group, price: prices.get(group.name) ?? null })) };
}
