import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import { defaultOptions } from '@outrigger/core/model/options.ts';
import { goesByPrices } from '@outrigger/core/model/goes-by-prices.ts';
import { isOfPrice } from '@outrigger/core/nodegroups/stated-prices.ts';
import { createAutoScalingGroups } from '@outrigger/providers/aws/auto-scaling-groups.ts';
import type { AwsClients } from '@outrigger/providers/aws/api/clients.ts';
import { type UnknownPrice, unknownPriceText } from '@outrigger/providers/aws/pricing/prices.ts';
import type { DoctorSettings } from '../settings.ts';
import { discoveryOf } from './aws.ts';
import type { UnpricedGroups } from './facts.ts';

/**
 * Reads the prices of node groups as an evaluation does: from tags, from the option `prices`, from AWS.
 *
 * @returns `null` where no decision goes by prices.
 */
export async function readUnpriced(
  settings: DoctorSettings,
  clients: AwsClients,
  region: string,
  now: EpochMs,
): Promise<UnpricedGroups | null> {
  const options = { ...defaultOptions(), ...settings.options };
  if (!goesByPrices(options)) {
    return null;
  }
  const unknown: UnknownPrice[] = [];
  const groups = createAutoScalingGroups({
    clients,
    region,
    cluster: clusterName(settings.cluster),
    discovery: discoveryOf(settings),
    prices: true,
    warn: () => {},
    onUnknownPrice: (price) => unknown.push(price),
    now: () => now,
  });
  const unpriced = (await groups.list([])).filter(
    (group) =>
      group.template !== null && group.price === null && !options.prices.some((price) => isOfPrice(price, group)),
  );
  // Prices are unknown for the same reason, mostly.
  const reasons = Map.groupBy(unknown, ({ code }) => code);
  return {
    groups: unpriced.map(({ name }) => name),
    why: [...reasons.values()].map((alike) => unknownPriceText(firstItem(alike))),
  };
}
