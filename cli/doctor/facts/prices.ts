import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import { defaultOptions, type Options } from '@outrigger/core/model/options.ts';
import { goesByPrices } from '@outrigger/core/model/goes-by-prices.ts';
import { isOfPrice } from '@outrigger/core/nodegroups/stated-prices.ts';
import { createAutoScalingGroups } from '@outrigger/providers/aws/auto-scaling-groups.ts';
import type { AwsClients } from '@outrigger/providers/aws/api/clients.ts';
import type { ScalingGroup } from '@outrigger/providers/aws/groups/scaling-group.ts';
import { type UnknownPrice, unknownPriceText } from '@outrigger/providers/aws/pricing/prices.ts';
import type { DoctorSettings } from '../settings.ts';
import { discoveryOf } from './aws.ts';
import { type Fact, factOr } from './fact.ts';
import type { UnpricedGroups } from './facts.ts';

/** Do decisions about a node group go by prices, by options of the cluster or of the group? */
const needsPrice = (options: Options, group: Pick<NodeGroup, 'options'>): boolean =>
  goesByPrices(options) || goesByPrices({ ...options, ...group.options });

/** Does the group need a price that nothing states? The option `prices` may state prices of nodes that are not known here. */
export function lacksPrice(given: Partial<Options>, group: NodeGroup): boolean {
  const options = { ...defaultOptions(), ...given };
  const isStated = options.prices.some((price) => group.template === null || isOfPrice(price, group));
  return needsPrice(options, group) && group.invalid === null && group.price === null && !isStated;
}

/**
 * Reads the prices of Auto Scaling groups as an evaluation does: from tags, from the option `prices`, from AWS.
 *
 * @returns `null` where no decision goes by prices.
 */
export async function readUnpriced(
  settings: DoctorSettings,
  clients: AwsClients,
  groupsNow: Fact<readonly ScalingGroup[]>,
  { region, now }: { readonly region: string; readonly now: EpochMs },
): Promise<UnpricedGroups | null> {
  const options = { ...defaultOptions(), ...settings.options };
  const asking = factOr(groupsNow, []).some(({ parsedTags }) => needsPrice(options, parsedTags));
  if (!goesByPrices(options) && !asking) {
    return null;
  }
  const unknown: UnknownPrice[] = [];
  const groups = createAutoScalingGroups({
    clients,
    region,
    cluster: clusterName(settings.cluster),
    discovery: discoveryOf(settings),
    prices: goesByPrices(options),
    warn: () => {},
    onUnknownPrice: (price) => unknown.push(price),
    now: () => now,
  });
  const unpriced = (await groups.list([])).filter((group) => group.template !== null && lacksPrice(options, group));
  // Prices are unknown for the same reason, mostly.
  const reasons = Map.groupBy(unknown, ({ code }) => code);
  return {
    groups: unpriced.map(({ name }) => name),
    why: [...reasons.values()].map((alike) => unknownPriceText(firstItem(alike))),
  };
}
