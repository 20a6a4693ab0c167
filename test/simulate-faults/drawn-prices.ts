import type { StatedPrice } from '../../core/model/price.ts';
import type { Chance } from '../../providers/simulated/chance.ts';
import type { ScalingGroup } from '../../providers/simulated/scaling-group.ts';

const ANY: StatedPrice = { type: null, zone: null, capacityType: null, price: 0, covered: null };
/** What nodes really cost, as a part of their price. A few of these are not to be believed. */
const PARTS = [0.1, 0.4, 0.7, 1, 1.5];
/** Of a group for which neither the cloud nor a tag says a price. */
const LIST_PRICE = 0.5;

/**
 * One to three prices: by type, zone and purchase option, some of a few nodes only, some of nodes that no group has. Several may be
 * about one node, of which the first one holds; at most one is of a number of nodes.
 */
export function drawnPrices(chance: Chance, groups: readonly ScalingGroup[]): readonly StatedPrice[] {
  const oneOf = <T>(from: readonly T[]): T => from[chance.within({ min: 0, max: from.length - 1 })]!;
  const like = oneOf(groups);
  const list = like.price ?? LIST_PRICE;
  const price = (): number => list * oneOf(PARTS);
  const { instanceType: type } = like;
  const entries: StatedPrice[] = [
    oneOf<StatedPrice>([
      { ...ANY, type, price: price(), covered: chance.within({ min: 1, max: 6 }) },
      { ...ANY, price: price(), covered: chance.within({ min: 1, max: 6 }) },
      { ...ANY, type, price: price() },
      { ...ANY, type: type.replace(/xlarge$/, oneOf(['large', '2xlarge'])), price: price() },
    ]),
  ];
  if (chance.next() < 0.6) {
    entries.push(
      oneOf<StatedPrice>([
        { ...ANY, type, price: price() },
        { ...ANY, zone: oneOf(zonesOfTheirOwn(groups)), price: price() },
        { ...ANY, capacityType: oneOf(['spot', 'on-demand']), price: price() },
        { ...ANY, type: 'p4d.24xlarge', price: price() },
      ]),
    );
  }
  // Prices are compared where every group has one.
  return groups.some((group) => group.price === null) ? [...entries, { ...ANY, price: list }] : entries;
}

/** Zones whose nodes are of groups of no other zone: for a group of several one price cannot be told. */
function zonesOfTheirOwn(groups: readonly ScalingGroup[]): readonly string[] {
  const shared = new Set(groups.flatMap(({ zones }) => (zones.length > 1 ? zones : [])));
  const own = new Set(groups.flatMap(({ zones }) => zones.filter((zone) => !shared.has(zone))));
  return own.size > 0 ? [...own] : ['eu-west-1a'];
}
