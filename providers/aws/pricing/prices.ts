import { getOwn, required } from '@outrigger/core/model/values/existing.ts';
import { paginateDescribeSpotPriceHistory, type EC2Client, type _InstanceType } from '@aws-sdk/client-ec2';
import { GetProductsCommand, type PricingClient } from '@aws-sdk/client-pricing';
import * as z from 'zod';
import { INSTANCE_TYPE_LABEL, OS_LABEL, ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { NodeTemplate } from '@outrigger/core/model/node-group.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { type AwsClients, abortable } from '../api/clients.ts';
import { type AwsFailure, failureOf, failureText } from '../api/failures.ts';
import type { LaunchData } from '../launches/launch-data.ts';
import { type LookupResult, type Lookup, createLookup, loadEach } from '../api/lookup.ts';
import { CAPACITY_TYPE_LABEL } from '../groups/managed-node-groups.ts';
import type { ScalingGroup } from '../groups/scaling-group.ts';
import { capabilitiesOf } from '../../schema/regions.ts';
import { PRICE_KEY } from '../../node-groups/stated-price.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';

/** A group, and the next node to price. */
export interface NodeToPrice {
  readonly group: ScalingGroup;
  readonly template: NodeTemplate;
  /** The launch of that node; `null` where it could not be read. */
  readonly launch: LaunchData | null;
}

/** Why the price of an instance type is not known. */
export interface UnknownPrice extends AwsFailure {
  readonly type: string;
  readonly os: string;
}

/** The sentence about an unknown price. */
export const unknownPriceText = (price: UnknownPrice): string =>
  `The price of ${price.type} (${price.os}) is not known ${failureText(price)}; tag ${PRICE_KEY} can set it`;

/** Prices of nodes. */
export interface Prices {
  /** USD per hour; groups without a known price are left out. Rejects only for aborts and bugs. */
  get(priced: readonly NodeToPrice[], signal?: AbortSignal): Promise<ReadonlyMap<ScalingGroup, number>>;
}

const ON_DEMAND_TTL = minutes(12 * 60);
const SPOT_TTL = minutes(5);
/** No decision waits for a price: a failed lookup is not repeated in the next evaluation. */
const RETRY_AFTER = minutes(5);

/**
 * Prices the next node of a group: on demand by AWS' price list, spot by the latest price of its type in its zone. A
 * group with both is priced by the share of each that its policy gives to the next instance.
 *
 * @param region of the prices.
 * @param onUnknown receives each price that is not known.
 */
export function createPrices(
  clients: AwsClients,
  region: string,
  now: () => EpochMs,
  onUnknown: (price: UnknownPrice) => void,
): Prices {
  const onDemand = createOnDemandPrices(clients.pricing, region, now);
  const spot = createSpotPrices(clients.ec2, now);

  return {
    async get(priced, signal) {
      const products = priced.flatMap(
        (each) =>
          mapOptional(onDemandShareOf(each), (share) => ({ group: each.group, share, ...productOf(each.template) })) ??
          [],
      );
      // Local and Wavelength Zones, whose names begin with the region's and a hyphen, have higher prices than the region.
      const hasOwnPrices = ({ zone }: Product): boolean => zone.startsWith(`${region}-`);
      const [byType, byZone] = await Promise.all([
        onDemand.get(
          products
            .filter((product) => product.share > 0 && !hasOwnPrices(product))
            .map(({ os, type }) => `${os} ${type}`),
          signal,
        ),
        spot.get(
          products.filter(({ share }) => share < 1).map(({ os, type, zone }) => `${os} ${type} ${zone}`),
          signal,
        ),
      ]);
      const prices = new Map<ScalingGroup, number>();
      for (const product of products) {
        const { group, share, os, type, zone } = product;
        const listed = hasOwnPrices(product) ? noPriceList(zone) : byType.get(`${os} ${type}`);
        const price = mixedPrice(share, listed, byZone.get(`${os} ${type} ${zone}`));
        if (price.ok) {
          prices.set(group, price.value);
        } else {
          onUnknown({ type, os, ...price.error });
        }
      }
      return prices;
    },
  };
}

interface Product {
  readonly os: string;
  readonly type: string;
  readonly zone: string;
}

const productOf = ({ node: { labels } }: NodeTemplate): Product => ({
  os: labels[OS_LABEL] === 'windows' ? 'Windows' : 'Linux',
  type: labels[INSTANCE_TYPE_LABEL] ?? '',
  zone: labels[ZONE_LABEL] ?? '',
});

/** From 1, certainly on demand, to 0, certainly spot; `null` for capacity that is paid for whether it is used or not. */
function onDemandShareOf({ group, template, launch }: NodeToPrice): number | null {
  if (group.market === 'mixed') {
    const { base, percentageAboveBase } = group.onDemand;
    return group.desired < base ? 1 : percentageAboveBase / 100;
  }
  const shown = template.node.labels[CAPACITY_TYPE_LABEL];
  const market = group.market === 'on-demand' ? (launch?.market ?? 'on-demand') : group.market;
  if (market === 'capacity-block' || shown === 'CAPACITY_BLOCK') {
    return null;
  }
  return market === 'spot' || shown === 'SPOT' ? 0 : 1;
}

function mixedPrice(
  share: number,
  onDemand: LookupResult<number> | undefined,
  spot: LookupResult<number> | undefined,
): Result<number, AwsFailure> {
  const first = share > 0 ? required(onDemand, 'on-demand capacity') : ok(0);
  const second = share < 1 ? required(spot, 'spot capacity') : ok(0);
  if (!first.ok) {
    return first;
  }
  if (!second.ok) {
    return second;
  }
  // Rounds sums of decimal fractions; no price has more than six significant decimals.
  return ok(Math.round((share * first.value + (1 - share) * second.value) * 1e6) / 1e6);
}

const noPriceList = (place: string): LookupResult<number> =>
  err({ class: 'Configuration', code: 'NoPriceList', message: `AWS has no price list in USD for ${place}` });

/** Looks up by `OS TYPE`. The API describes few products per call, so each call reads one type. */
function createOnDemandPrices(pricing: PricingClient, region: string, now: () => EpochMs): Lookup<number> {
  return createLookup(
    async (keys, signal) => {
      if (!capabilitiesOf(region).priceList) {
        return new Map(keys.map((key) => [key, noPriceList(region)]));
      }
      let failed: AwsFailure | null = null;
      return await loadEach(
        keys,
        async (key) => {
          if (failed !== null) {
            return [[key, err(failed)] as const];
          }
          const [os = '', type = ''] = key.split(' ');
          try {
            const { PriceList = [] } = await pricing.send(
              new GetProductsCommand({ ServiceCode: 'AmazonEC2', Filters: filtersFor(os, type, region) }),
              abortable(signal),
            );
            const price = lowestPrice([...PriceList].map(String));
            return price === undefined ? [] : [[key, ok(price)] as const];
          } catch (error) {
            // The next call would go to the same endpoint with the same role and fail as well.
            failed = failureOf(error);
            throw error;
          }
        },
        (key) => [key],
      );
    },
    ON_DEMAND_TTL,
    now,
    RETRY_AFTER,
  );
}

const filtersFor = (os: string, type: string, region: string) =>
  Object.entries({
    instanceType: type,
    regionCode: region,
    operatingSystem: os,
    licenseModel: 'No License required',
    tenancy: 'Shared',
    preInstalledSw: 'NA',
    capacitystatus: 'Used',
  }).map(([Field, Value]) => ({ Type: 'TERM_MATCH' as const, Field, Value }));

const PRODUCT = z.object({
  terms: z.object({
    OnDemand: z
      .record(
        z.string(),
        z.object({
          priceDimensions: z.record(
            z.string(),
            z.object({ unit: z.string(), pricePerUnit: z.object({ USD: z.string().optional() }) }),
          ),
        }),
      )
      .default({}),
  }),
});

/** Capacity blocks and similar offers are separate products, at 0 USD. */
const lowestPrice = (products: readonly string[]): number | undefined =>
  products
    .flatMap((product) => Object.values(parseProduct(product)?.terms.OnDemand ?? {}))
    .flatMap(({ priceDimensions }) => Object.values(priceDimensions))
    .filter(({ unit }) => unit === 'Hrs')
    .map(({ pricePerUnit }) => Number(pricePerUnit.USD))
    .filter((price) => price > 0)
    .sort((a, b) => a - b)[0];

/** `undefined` for anything that is not a product: a missing price is not an error. */
function parseProduct(text: string): z.infer<typeof PRODUCT> | undefined {
  try {
    return PRODUCT.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const SPOT_PER_CALL = 50;
const SPOT_PRODUCT: Readonly<Record<string, string>> = { Linux: 'Linux/UNIX', Windows: 'Windows' };

/** Looks up by `OS TYPE ZONE`, fifty types of one operating system in a call. */
function createSpotPrices(ec2: EC2Client, now: () => EpochMs): Lookup<number> {
  return createLookup(
    async (keys, signal) => {
      const found = new Map<string, LookupResult<number>>();
      const products = Map.groupBy(
        keys.map((key) => key.split(' ')),
        ([os = '']) => os,
      );
      for (const [os, group] of products) {
        const types = [...new Set(group.map(([, type = '']) => type))];
        for (const some of chunksOf(types, SPOT_PER_CALL)) {
          for (const [key, price] of await loadSpotPrices(ec2, { os, types: some, time: now() }, signal)) {
            found.set(key, ok(price));
          }
        }
      }
      return found;
    },
    SPOT_TTL,
    now,
    RETRY_AFTER,
  );
}

interface SpotPriceQuery {
  readonly os: string;
  readonly types: readonly string[];
  readonly time: EpochMs;
}

/** Prices in USD per hour by `OS TYPE ZONE`. */
async function loadSpotPrices(
  ec2: EC2Client,
  { os, types, time }: SpotPriceQuery,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const pages = paginateDescribeSpotPriceHistory(
    { client: ec2 },
    {
      InstanceTypes: [...types] as _InstanceType[],
      ProductDescriptions: [getOwn(SPOT_PRODUCT, os)],
      // A start time of now selects the price that is current, whenever it was set.
      StartTime: new Date(time),
    },
    abortable(signal),
  );
  for await (const { SpotPriceHistory = [] } of pages) {
    for (const { InstanceType = '', AvailabilityZone = '', SpotPrice } of SpotPriceHistory) {
      const key = `${os} ${InstanceType} ${AvailabilityZone}`;
      const price = Number(SpotPrice);
      // The newest comes first.
      if (price > 0 && !found.has(key)) {
        found.set(key, price);
      }
    }
  }
  return found;
}
