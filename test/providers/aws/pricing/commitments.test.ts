import { EC2Client } from '@aws-sdk/client-ec2';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { addTime, epochMs, minutes, seconds } from '../../../../core/model/values/time.ts';
import { createSavingsPlansApi } from '../../../../providers/aws/api/savings-plans-api.ts';
import { createCommitments } from '../../../../providers/aws/pricing/commitments.ts';
import { createHourlyWarnings } from '../../../../providers/node-groups/warnings.ts';
import { type Answer, ec2Error, ec2Result, jsonError, jsonResult, startWireServer } from '../wire-server.ts';

const RESERVED = 'DescribeReservedInstances';
const RESERVATIONS = 'DescribeCapacityReservations';

const PLANS = 'POST /DescribeSavingsPlans';
const RATES = 'POST /DescribeSavingsPlanRates';
const TYPES: ReadonlySet<string> = new Set(['m5.large', 'm5.xlarge', 'c6i.large']);

const instances = (given: Record<string, string>): Record<string, string> => ({
  reservedInstancesId: 'r-1',
  instanceType: 'm5.xlarge',
  instanceCount: '4',
  productDescription: 'Linux/UNIX',
  instanceTenancy: 'default',
  scope: 'Region',
  state: 'active',
  ...given,
});

const reservation = (given: Record<string, string>): Record<string, string> => ({
  capacityReservationId: 'cr-0123456789abcdef0',
  instanceType: 'm5.large',
  availabilityZone: 'us-east-1a',
  instancePlatform: 'Linux/UNIX',
  instanceMatchCriteria: 'open',
  tenancy: 'default',
  reservationType: 'default',
  totalInstanceCount: '10',
  availableInstanceCount: '3',
  state: 'active',
  ...given,
});

/** A plan as `DescribeSavingsPlans` answers: the digits of the ID are of an UUID. */
const plan = (id: string, commitment: string, given: Record<string, unknown> = {}): Record<string, unknown> => ({
  offeringId: 'd31cf5f0-8d3b-4a65-a1b4-3e2b0a4f9c11',
  savingsPlanId: planId(id),
  savingsPlanArn: `arn:aws:savingsplans::111122223333:savingsplan/${planId(id)}`,
  start: '2025-11-03T10:12:01.000Z',
  end: '2026-11-03T10:12:00.000Z',
  state: 'active',
  savingsPlanType: 'Compute',
  paymentOption: 'No Upfront',
  productTypes: ['Fargate', 'EC2', 'Lambda'],
  currency: 'USD',
  commitment,
  termDurationInSeconds: 31_536_000,
  ...given,
});
const planId = (id: string): string => `0d7ab8b0-5f0e-4c8a-9b1e-${id.padStart(12, '0')}`;

const rate = (type: string, usd: string, given: Record<string, unknown> = {}): Record<string, unknown> => ({
  rate: usd,
  currency: 'USD',
  unit: 'Hrs',
  productType: 'EC2',
  serviceCode: 'AmazonEC2',
  usageType: `BoxUsage:${type}`,
  operation: 'RunInstances',
  properties: [
    { name: 'region', value: 'us-east-1' },
    { name: 'instanceType', value: type },
    { name: 'instanceFamily', value: type.split('.')[0] },
    { name: 'productDescription', value: 'Linux/UNIX' },
    { name: 'tenancy', value: 'shared' },
  ],
  ...given,
});

/** Answers about savings plans, by the last digits of the ID for rates. */
interface Plans {
  readonly plans: readonly (readonly Record<string, unknown>[])[];
  readonly rates: Readonly<Record<string, readonly Record<string, unknown>[] | Answer>>;
}

async function world(
  reserved: readonly Record<string, string>[],
  reservations: readonly Record<string, string>[] | Answer,
  { plans, rates }: Plans = { plans: [[]], rates: {} },
) {
  let time = epochMs(Date.UTC(2026, 0, 1));
  const { calls, clients } = await startWireServer((call) => {
    if (call.action === RESERVED) {
      return ec2Result(RESERVED, { reservedInstancesSet: reserved });
    }
    if (call.action === PLANS) {
      const page = Number(JSON.parse(call.body)['nextToken'] ?? 0);
      return jsonResult({
        savingsPlans: plans[page],
        ...(page + 1 < plans.length && { nextToken: String(page + 1) }),
      });
    }
    if (call.action === RATES) {
      const { savingsPlanId: id } = JSON.parse(call.body);
      const found = Object.entries(rates).find(([key]) => planId(key) === id)![1];
      return Array.isArray(found) ? jsonResult({ savingsPlanId: id, searchResults: found }) : (found as Answer);
    }
    return Array.isArray(reservations)
      ? ec2Result(RESERVATIONS, { capacityReservationSet: reservations, nextToken: '' })
      : (reservations as Answer);
  });
  const said: string[] = [];
  const now = () => time;
  const commitments = createCommitments(
    clients,
    now,
    createHourlyWarnings((text) => said.push(text), now),
  );
  return {
    commitments,
    said,
    count: (action: string) => calls.filter((call) => call.action === action).length,
    bodiesOf: (action: string) =>
      calls.filter((call) => call.action === action).map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    parametersOf: (action: string) => calls.find((call) => call.action === action)!.parameters,
    later: (by: number) => {
      time = addTime(time, seconds(by));
    },
  };
}

describe('commitments', () => {
  test('are read of the account, those that are in force', async () => {
    const { commitments, parametersOf } = await world([instances({})], [reservation({})]);
    expect(await commitments.get(TYPES)).toEqual([
      {
        kind: 'CapacityReservation',
        type: 'm5.large',
        zone: 'us-east-1a',
        count: 10,
        available: 3,
        coversSizes: false,
      },
      { kind: 'ReservedInstances', type: 'm5.xlarge', zone: null, count: 4, available: null, coversSizes: true },
    ]);
    for (const action of [RESERVED, RESERVATIONS]) {
      expect(Object.fromEntries(parametersOf(action))).toMatchObject({
        'Filter.1.Name': 'state',
        'Filter.1.Value.1': 'active',
      });
    }
  });

  test('of one kind, type and zone are one', async () => {
    const zonal = instances({ scope: 'Availability Zone', availabilityZone: 'us-east-1b' });
    const { commitments } = await world(
      [zonal, instances({ instanceCount: '2' }), { ...zonal, instanceCount: '1' }, instances({ instanceCount: '5' })],
      [reservation({}), reservation({ totalInstanceCount: '2', availableInstanceCount: '2' })],
    );
    expect(await commitments.get(TYPES)).toEqual([
      {
        kind: 'CapacityReservation',
        type: 'm5.large',
        zone: 'us-east-1a',
        count: 12,
        available: 5,
        coversSizes: false,
      },
      { kind: 'ReservedInstances', type: 'm5.xlarge', zone: null, count: 7, available: null, coversSizes: true },
      {
        kind: 'ReservedInstances',
        type: 'm5.xlarge',
        zone: 'us-east-1b',
        count: 5,
        available: null,
        coversSizes: false,
      },
    ]);
  });

  test('of capacity blocks are kept apart from those that any instance uses', async () => {
    const block = reservation({ reservationType: 'capacity-block', instanceMatchCriteria: 'targeted' });
    const { commitments } = await world([], [reservation({}), { ...block, availableInstanceCount: '4' }]);
    expect(await commitments.get(TYPES)).toMatchObject([
      { kind: 'CapacityBlock', type: 'm5.large', zone: 'us-east-1a', count: 10, available: 4 },
      { kind: 'CapacityReservation', type: 'm5.large', zone: 'us-east-1a', count: 10, available: 3 },
    ]);
  });

  test.each([
    ...['g4dn.xlarge', 'g5.xlarge', 'gr6f.4xlarge', 'g7e.2xlarge', 'p5.4xlarge', 'inf2.xlarge'].map((type) => ({
      type,
      coversSizes: false,
    })),
    ...['hpc7a.96xlarge', 'u7i-6tb.112xlarge'].map((type) => ({ type, coversSizes: false })),
    ...['g3.4xlarge', 'p3.2xlarge', 'trn1.2xlarge', 'u-6tb1.56xlarge'].map((type) => ({ type, coversSizes: true })),
  ])('of $type cover other sizes: $coversSizes', async ({ type, coversSizes }) => {
    const { commitments } = await world([instances({ instanceType: type })], []);
    expect(await commitments.get(TYPES)).toMatchObject([{ type, coversSizes }]);
  });

  test.each<{ title: string; reserved: Record<string, string>; reservations: Record<string, string> }>([
    {
      title: 'for another platform',
      reserved: { productDescription: 'Windows' },
      reservations: { instancePlatform: 'Windows' },
    },
    {
      title: 'on hardware of their own',
      reserved: { instanceTenancy: 'dedicated' },
      reservations: { tenancy: 'dedicated' },
    },
    { title: 'of no instances', reserved: { instanceCount: '0' }, reservations: { totalInstanceCount: '0' } },
    {
      title: 'that instances have to ask for',
      reserved: { instanceCount: '0' },
      reservations: { instanceMatchCriteria: 'targeted' },
    },
    {
      title: 'of a capacity block on hardware of its own',
      reserved: { instanceCount: '0' },
      reservations: { reservationType: 'capacity-block', tenancy: 'dedicated' },
    },
    {
      title: 'in a placement group',
      reserved: { instanceCount: '0' },
      reservations: { placementGroupArn: 'arn:aws:ec2:us-east-1:111122223333:placement-group/near' },
    },
  ])('$title are left out', async ({ reserved, reservations }) => {
    const { commitments } = await world([instances(reserved)], [reservation(reservations)]);
    expect(await commitments.get(TYPES)).toEqual([]);
  });

  test('are read again: capacity reservations after 20 seconds, reserved instances after half an hour', async () => {
    const { commitments, count, later } = await world([instances({})], [reservation({})]);
    await commitments.get(TYPES);
    later(19);
    await commitments.get(TYPES);
    expect([count(RESERVED), count(RESERVATIONS)]).toEqual([1, 1]);
    later(2);
    await commitments.get(TYPES);
    expect([count(RESERVED), count(RESERVATIONS)]).toEqual([1, 2]);
    later(minutes(30) / 1000);
    await commitments.get(TYPES);
    expect([count(RESERVED), count(RESERVATIONS)]).toEqual([2, 3]);
  });

  test('that may not be read are named once, and the others count', async () => {
    const refused = ec2Error(403, 'UnauthorizedOperation', 'You are not authorized to perform this operation.');
    const { commitments, said } = await world([instances({})], refused);
    const expected = [{ kind: 'ReservedInstances' }, { kind: 'Unread', call: RESERVATIONS }];
    expect(await commitments.get(TYPES)).toMatchObject(expected);
    await commitments.get(TYPES);
    expect(said).toEqual([
      'Capacity that is paid for is not known (DescribeCapacityReservations: Authorization, UnauthorizedOperation): ' +
        'You are not authorized to perform this operation.',
    ]);
  });
});

describe('savings plans', () => {
  const M5 = { savingsPlanType: 'EC2Instance', ec2InstanceFamily: 'm5', region: 'us-east-1', productTypes: ['EC2'] };

  test('have the rates of the instance types of the cluster, those of Linux on shared hardware', async () => {
    const { commitments, bodiesOf } = await world([], [], {
      plans: [[plan('1', '2.5'), plan('2', '0.504', M5)]],
      rates: {
        1: [rate('m5.large', '0.0607'), rate('m5.xlarge', '0.1213'), rate('c6i.large', '0.0538')],
        2: [rate('m5.large', '0.0504')],
      },
    });
    expect(await commitments.get(TYPES)).toEqual([
      { kind: 'SavingsPlan', family: 'm5', commitment: 0.504, rates: { 'm5.large': 0.0504 } },
      {
        kind: 'SavingsPlan',
        family: null,
        commitment: 2.5,
        rates: { 'c6i.large': 0.0538, 'm5.large': 0.0607, 'm5.xlarge': 0.1213 },
      },
    ]);
    expect(bodiesOf(PLANS)).toEqual([{ states: ['active'] }]);
    const filtersFor = (...types: string[]) => [
      { name: 'region', values: ['us-east-1'] },
      { name: 'instanceType', values: types },
      { name: 'productDescription', values: ['Linux/UNIX'] },
      { name: 'tenancy', values: ['shared'] },
      { name: 'productType', values: ['EC2'] },
    ];
    expect(bodiesOf(RATES)).toEqual([
      { savingsPlanId: planId('1'), filters: filtersFor('c6i.large', 'm5.large', 'm5.xlarge') },
      { savingsPlanId: planId('2'), filters: filtersFor('m5.large', 'm5.xlarge') },
    ]);
  });

  test.each<{ title: string; given: Record<string, unknown>; rates: readonly Record<string, unknown>[] }>([
    { title: 'for machine learning', given: { savingsPlanType: 'SageMaker' }, rates: [rate('m5.large', '0.05')] },
    { title: 'of another region', given: { ...M5, region: 'eu-west-1' }, rates: [rate('m5.large', '0.05')] },
    { title: 'of another family', given: { ...M5, ec2InstanceFamily: 'r5' }, rates: [] },
    { title: 'without a rate for a type of the cluster', given: {}, rates: [] },
    { title: 'of nothing', given: { commitment: '0' }, rates: [rate('m5.large', '0.05')] },
    { title: 'with a rate of other units', given: {}, rates: [rate('m5.large', '0.05', { unit: 'Request' })] },
  ])('$title are left out', async ({ given, rates }) => {
    const { commitments, said } = await world([], [], {
      plans: [[plan('1', '2.5', given)]],
      rates: { 1: rates },
    });
    expect(await commitments.get(TYPES)).toEqual([]);
    expect(said).toEqual([]);
  });

  test('take the higher rate where unused capacity reservations have another one', async () => {
    const unused = rate('m5.large', '0.0701', { usageType: 'UnusedBox:m5.large' });
    const { commitments } = await world([], [], {
      plans: [[plan('1', '2.5')]],
      rates: { 1: [rate('m5.large', '0.0607'), unused, rate('m5.large', '0.0607')] },
    });
    expect(await commitments.get(TYPES)).toMatchObject([{ rates: { 'm5.large': 0.0701 } }]);
  });

  test('of the same rates are one, and those with lower rates come first', async () => {
    const { commitments } = await world([], [], {
      plans: [[plan('1', '0.1'), plan('2', '0.7')], [plan('3', '0.2')]],
      rates: {
        1: [rate('m5.large', '0.0607'), rate('c6i.large', '0.0501')],
        2: [rate('m5.large', '0.0441'), rate('c6i.large', '0.0502')],
        3: [rate('m5.large', '0.0607'), rate('c6i.large', '0.0501')],
      },
    });
    expect(await commitments.get(TYPES)).toMatchObject([
      { commitment: 0.7, rates: { 'm5.large': 0.0441 } },
      { commitment: 0.3, rates: { 'm5.large': 0.0607 } },
    ]);
  });

  test('are read again after half an hour, and their rates for new types at once, else after half a day', async () => {
    const { commitments, count, bodiesOf, later } = await world([], [], {
      plans: [[plan('1', '2.5')]],
      rates: { 1: [rate('m5.large', '0.0607')] },
    });
    await commitments.get(new Set(['m5.large']));
    later(29 * 60);
    await commitments.get(TYPES);
    expect([count(PLANS), count(RATES)]).toEqual([1, 2]);
    expect(bodiesOf(RATES)[1]).toMatchObject({ filters: [{}, { values: ['c6i.large', 'm5.xlarge'] }, {}, {}, {}] });
    later(2 * 60);
    await commitments.get(TYPES);
    expect([count(PLANS), count(RATES)]).toEqual([2, 2]);
    later(12 * 3_600);
    await commitments.get(TYPES);
    expect(count(RATES)).toBe(3);
  });

  test('that may not be read are named once and asked for again after 5 minutes, and the others count', async () => {
    const throttled = jsonError(400, 'ThrottlingException', 'Rate exceeded');
    const { commitments, said, count, later } = await world([instances({})], [], {
      plans: [[plan('1', '2.5'), plan('2', '0.7')]],
      rates: { 1: throttled, 2: [rate('m5.large', '0.0607')] },
    });
    const expected = [
      { kind: 'ReservedInstances' },
      { kind: 'SavingsPlan', commitment: 0.7 },
      { kind: 'Unread', call: 'DescribeSavingsPlanRates' },
    ];
    expect(await commitments.get(TYPES)).toMatchObject(expected);
    later(4 * 60);
    expect(await commitments.get(TYPES)).toMatchObject(expected);
    expect(count(RATES)).toBe(2);
    later(61);
    await commitments.get(TYPES);
    expect(count(RATES)).toBe(3);
    expect(said).toEqual([
      'Capacity that is paid for is not known (DescribeSavingsPlanRates: Throttled, ThrottlingException): Rate exceeded',
    ]);
  });

  test.each<{ title: string; answer: Answer; why: string }>([
    {
      title: 'refused',
      answer: jsonError(403, 'AccessDeniedException', 'User is not authorized'),
      why: 'Authorization, AccessDeniedException): User is not authorized',
    },
    {
      title: 'unreadable',
      answer: jsonResult({ savingsPlans: [{ savingsPlanType: 'Compute' }] }),
      why: 'Other, Error): the answer cannot be read',
    },
  ])('are unread where the answer is $title', async ({ answer, why }) => {
    const { calls, clients } = await startWireServer(({ action }) => {
      const empty = action === RESERVED ? { reservedInstancesSet: [] } : { capacityReservationSet: [] };
      return action === PLANS ? answer : ec2Result(action, empty);
    });
    const said: string[] = [];
    const now = () => epochMs(Date.UTC(2026, 0, 1));
    const warn = createHourlyWarnings((text) => said.push(text), now);
    const unread = [{ kind: 'Unread', call: 'DescribeSavingsPlans' }];
    expect(await createCommitments(clients, now, warn).get(TYPES)).toEqual(unread);
    expect(said.join()).toContain(`(DescribeSavingsPlans: ${why}`);
    expect(calls.map(({ action }) => action)).not.toContain(RATES);
  });

  test.each([
    { region: 'eu-west-1', host: 'savingsplans.amazonaws.com', signed: 'us-east-1' },
    { region: 'cn-north-1', host: 'savingsplans.cn-north-1.amazonaws.com.cn', signed: 'cn-north-1' },
    { region: 'us-gov-west-1', host: 'savingsplans.us-gov-west-1.amazonaws.com', signed: 'us-gov-west-1' },
    { region: 'eusc-de-east-1', host: 'savingsplans.eusc-de-east-1.amazonaws.eu', signed: 'eusc-de-east-1' },
  ])('of $region are asked for at $host', async ({ region, host, signed }) => {
    const requests: { readonly hostname: string; readonly headers: Record<string, string> }[] = [];
    const answer = { statusCode: 200, headers: {}, body: Readable.from(['{"savingsPlans":[]}']) };
    const config = {
      sha256: new EC2Client({ region }).config.sha256,
      credentials: async () => ({ accessKeyId: 'test', secretAccessKey: 'test' }),
      requestHandler: {
        handle: async (request: (typeof requests)[number]) => {
          requests.push(request);
          return { response: answer };
        },
      },
    };
    expect(await createSavingsPlansApi({ config } as never, region).plans()).toEqual([]);
    expect(requests).toMatchObject([{ hostname: host }]);
    expect(requests[0]!.headers['authorization']).toContain(`/${signed}/savingsplans/aws4_request`);
  });
});
