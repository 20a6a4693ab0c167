import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling';
import { describe, expect, test } from 'vitest';
import { type DurationMs, addTime, epochMs, minutes } from '../../../../core/model/values/time.ts';
import type { LaunchData } from '../../../../providers/aws/launches/launch-data.ts';
import { type NodeToPrice, createPrices, unknownPriceText } from '../../../../providers/aws/pricing/prices.ts';
import { type EksNode, eksNode, launchData, scalingGroup } from '../builders.ts';
import { type Answer, type Call, ec2Error, ec2Result, jsonError, jsonResult, startWireServer } from '../wire-server.ts';

const GET_PRODUCTS = 'AWSPriceListService.GetProducts';
const SPOT_HISTORY = 'DescribeSpotPriceHistory';

/** A product of the price list, as it is told: JSON within JSON. */
const product = (usd: string, unit = 'Hrs'): string =>
  JSON.stringify({
    product: { attributes: {} },
    terms: {
      OnDemand: { 'S.T': { priceDimensions: { 'S.T.R': { unit, pricePerUnit: { USD: usd } } }, sku: 'S' } },
      Reserved: { 'S.U': {} },
    },
  });

const ON_DEMAND: Readonly<Record<string, string>> = { 'm5.large': '0.0960000000', 'm5.xlarge': '0.1920000000' };
const SPOT = [
  { instanceType: 'm5.large', availabilityZone: 'us-east-1a', spotPrice: '0.035100' },
  { instanceType: 'm5.large', availabilityZone: 'us-east-1b', spotPrice: '0.041000' },
  { instanceType: 'm5.large', availabilityZone: 'us-east-1a', spotPrice: '0.090000' },
];

const attributesOf = ({ body }: Call): Readonly<Record<string, string>> => {
  const { Filters } = JSON.parse(body) as { readonly Filters: readonly { Field: string; Value: string }[] };
  return Object.fromEntries(Filters.map(({ Field, Value }) => [Field, Value]));
};

async function world(intercept: (call: Call) => Answer | null = () => null, region = 'eu-west-1') {
  let time = epochMs(Date.UTC(2026, 0, 1));
  const server = await startWireServer((call) => {
    const given = intercept(call);
    if (given !== null) {
      return given;
    }
    if (call.action === SPOT_HISTORY) {
      return ec2Result(SPOT_HISTORY, { spotPriceHistorySet: SPOT, nextToken: '' });
    }
    const usd = ON_DEMAND[attributesOf(call)['instanceType']!];
    return jsonResult({ FormatVersion: 'aws_v1', PriceList: usd === undefined ? [] : [product(usd)] });
  });
  const { calls, clients } = server;
  const said: string[] = [];
  const prices = createPrices(
    clients,
    region,
    () => time,
    (price) => said.push(unknownPriceText(price)),
  );
  return {
    prices,
    priceOf: async (given: NodeToPrice) => (await prices.get([given])).get(given.group),
    said,
    calls,
    count: (action: string) => calls.filter((call) => call.action === action).length,
    wait: (length: DurationMs) => {
      time = addTime(time, length);
    },
  };
}

interface Wish extends EksNode {
  readonly group?: Partial<AutoScalingGroup>;
  readonly market?: LaunchData['market'];
}

function priced({ group, market, ...node }: Wish = {}): NodeToPrice {
  return {
    group: scalingGroup('web', group),
    template: { node: eksNode('template', { cpu: 2 }, node), pods: [] },
    launch: market === undefined ? null : launchData({ market }),
  };
}

const policy = (base: number, percentage: number, desired = 0): Partial<AutoScalingGroup> => ({
  DesiredCapacity: desired,
  MixedInstancesPolicy: {
    InstancesDistribution: { OnDemandBaseCapacity: base, OnDemandPercentageAboveBaseCapacity: percentage },
  },
});

const capacityType = (type: string) => ({ labels: { 'eks.amazonaws.com/capacityType': type } });

describe('the price of the next node', () => {
  test.each<readonly [string, Wish, number | undefined]>([
    ['on demand', {}, 0.096],
    ['of another type', { type: 'm5.xlarge' }, 0.192],
    ['spot by its launch template', { market: 'spot' }, 0.0351],
    ['spot by its label', capacityType('SPOT'), 0.0351],
    ['spot by its policy', { group: policy(0, 0) }, 0.0351],
    ['spot in another zone', { market: 'spot', zone: 'us-east-1b' }, 0.041],
    ['on demand up to the base', { group: policy(2, 0, 1) }, 0.096],
    ['spot beyond the base', { group: policy(2, 0, 2) }, 0.0351],
    ['of both, as the policy mixes them', { group: policy(0, 25) }, 0.050325],
    ['of a capacity block, which is paid for already', { market: 'capacity-block' }, undefined],
    ['of a capacity block by its label', capacityType('CAPACITY_BLOCK'), undefined],
    ['of a type that has none', { type: 'm1.none' }, undefined],
    ['spot of a type that has none in its zone', { market: 'spot', zone: 'us-east-1c' }, undefined],
  ])('%s', async (_, wish, expected) => {
    const { priceOf } = await world();
    expect(await priceOf(priced(wish))).toBe(expected);
  });

  test('on demand is requested for one instance without a reservation, in the region', async () => {
    const { priceOf, calls } = await world();
    await priceOf(priced());
    expect(attributesOf(calls[0]!)).toEqual({
      instanceType: 'm5.large',
      regionCode: 'eu-west-1',
      operatingSystem: 'Linux',
      licenseModel: 'No License required',
      tenancy: 'Shared',
      preInstalledSw: 'NA',
      capacitystatus: 'Used',
    });
  });

  test('is not requested where credentials of the region are of no use to the price list', async () => {
    const { priceOf, calls, said } = await world(() => null, 'us-gov-west-1');
    expect(await priceOf(priced())).toBeUndefined();
    expect(calls).toEqual([]);
    expect(said.join()).toContain('AWS has no price list in USD for us-gov-west-1; tag');
  });

  test('on demand in a Local Zone is not that of its region', async () => {
    const { prices, calls, said } = await world(() => null, 'us-east-1');
    const [boston, spot] = [priced({ zone: 'us-east-1-bos-1a' }), priced({ zone: 'us-east-1b', market: 'spot' })];
    expect(await prices.get([boston, spot])).toEqual(new Map([[spot.group, 0.041]]));
    expect(calls.map(({ action }) => action)).toEqual([SPOT_HISTORY]);
    expect(said.join()).toContain('AWS has no price list in USD for us-east-1-bos-1a; tag');
  });

  test('of Windows nodes is that of Windows', async () => {
    const { priceOf, calls } = await world();
    await priceOf(priced({ labels: { 'kubernetes.io/os': 'windows' } }));
    await priceOf(priced({ labels: { 'kubernetes.io/os': 'windows' }, market: 'spot' }));
    expect(attributesOf(calls[0]!)['operatingSystem']).toBe('Windows');
    expect(calls[1]!.parameters.get('ProductDescription.1')).toBe('Windows');
  });

  test('on spot is asked for what holds now, many types in one call, page by page', async () => {
    const { prices, calls } = await world(({ action, parameters }) =>
      action === SPOT_HISTORY && parameters.get('NextToken') === null
        ? ec2Result(SPOT_HISTORY, {
            spotPriceHistorySet: [{ instanceType: 'm5.xlarge', availabilityZone: 'us-east-1a', spotPrice: '0.07' }],
            nextToken: 'more',
          })
        : null,
    );
    const [one, two] = [priced({ market: 'spot' }), priced({ market: 'spot', type: 'm5.xlarge' })];
    expect([...(await prices.get([one, two])).values()]).toEqual([0.0351, 0.07]);
    expect(calls).toHaveLength(2);
    expect(Object.fromEntries(calls[0]!.parameters)).toMatchObject({
      'InstanceType.1': 'm5.large',
      'InstanceType.2': 'm5.xlarge',
      'ProductDescription.1': 'Linux/UNIX',
      StartTime: '2026-01-01T00:00:00Z',
    });
  });

  test('is the lowest that the list gives by the hour', async () => {
    const list = [product('0.0000000000'), product('5', 'Quantity'), 'not JSON', '{}', product('0.2'), product('0.1')];
    const { priceOf } = await world(() => jsonResult({ PriceList: list }));
    expect(await priceOf(priced())).toBe(0.1);
  });
});

describe('prices are remembered', () => {
  test.each<readonly [string, Wish, string, DurationMs]>([
    ['on demand for 12 hours', {}, GET_PRODUCTS, minutes(12 * 60)],
    ['on spot for 5 minutes', { market: 'spot' }, SPOT_HISTORY, minutes(5)],
  ])('%s', async (_, wish, action, ttl) => {
    const { priceOf, count, wait } = await world();
    await priceOf(priced(wish));
    wait((ttl - 1) as DurationMs);
    await priceOf(priced(wish));
    expect(count(action)).toBe(1);
    wait(minutes(1));
    await priceOf(priced(wish));
    expect(count(action)).toBe(2);
  });
});

describe('prices that cannot be had', () => {
  const REFUSED = jsonError(400, 'AccessDeniedException', 'not authorized to perform: pricing:GetProducts');

  test('are left out, and the others are there', async () => {
    const { prices, said } = await world(({ action }) => (action === GET_PRODUCTS ? REFUSED : null));
    const spot = priced({ market: 'spot' });
    expect(await prices.get([priced(), spot])).toEqual(new Map([[spot.group, 0.0351]]));
    expect(said).toEqual([
      'The price of m5.large (Linux) is not known (Authorization, AccessDeniedException): ' +
        'not authorized to perform: pricing:GetProducts; tag outrigger.dev/price can set it',
    ]);
  });

  test('of spot too', async () => {
    const { priceOf, said } = await world(() => ec2Error(403, 'UnauthorizedOperation', 'no'));
    expect(await priceOf(priced({ group: policy(0, 50) }))).toBeUndefined();
    expect(said).toHaveLength(1);
  });

  test('do not hold up the decision: one failure speaks for all types, for five minutes', async () => {
    const { prices, count, wait } = await world(() => jsonError(500, 'InternalErrorException', 'oops'));
    const many = Array.from({ length: 40 }, (_, index) => priced({ type: `m5.${index}xlarge` }));
    expect((await prices.get(many)).size).toBe(0);
    // As many as are asked for at the same time.
    expect(count(GET_PRODUCTS)).toBeLessThanOrEqual(5 * 2);
    const before = count(GET_PRODUCTS);
    wait((minutes(5) - 1) as DurationMs);
    await prices.get(many);
    expect(count(GET_PRODUCTS)).toBe(before);
  });

  test('are called off with everything else', async () => {
    const controller = new AbortController();
    const { prices } = await world(() => {
      controller.abort();
      return 'hang';
    });
    await expect(prices.get([priced()], controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
