import { describe, expect, test } from 'vitest';
import { addTime, epochMs, minutes, seconds } from '../../../../core/model/values/time.ts';
import { createCommitments } from '../../../../providers/aws/pricing/commitments.ts';
import { createHourlyWarnings } from '../../../../providers/node-groups/warnings.ts';
import { type Answer, ec2Error, ec2Result, startWireServer } from '../wire-server.ts';

const RESERVED = 'DescribeReservedInstances';
const RESERVATIONS = 'DescribeCapacityReservations';

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

async function world(
  reserved: readonly Record<string, string>[],
  reservations: readonly Record<string, string>[] | Answer,
) {
  let time = epochMs(Date.UTC(2026, 0, 1));
  const { calls, clients } = await startWireServer((call) => {
    if (call.action === RESERVED) {
      return ec2Result(RESERVED, { reservedInstancesSet: reserved });
    }
    return Array.isArray(reservations)
      ? ec2Result(RESERVATIONS, { capacityReservationSet: reservations, nextToken: '' })
      : (reservations as Answer);
  });
  const said: string[] = [];
  const now = () => time;
  const commitments = createCommitments(
    clients.ec2,
    now,
    createHourlyWarnings((text) => said.push(text), now),
  );
  return {
    commitments,
    said,
    count: (action: string) => calls.filter((call) => call.action === action).length,
    parametersOf: (action: string) => calls.find((call) => call.action === action)!.parameters,
    later: (by: number) => {
      time = addTime(time, seconds(by));
    },
  };
}

describe('commitments', () => {
  test('are read of the account, those that are in force', async () => {
    const { commitments, parametersOf } = await world([instances({})], [reservation({})]);
    expect(await commitments.get()).toEqual([
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
    expect(await commitments.get()).toEqual([
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

  test.each(['g5.xlarge', 'p4d.24xlarge', 'inf2.xlarge', 'hpc7a.96xlarge', 'u7i-12tb.224xlarge'])(
    'do not cover other sizes of %s',
    async (instanceType) => {
      const { commitments } = await world([instances({ instanceType })], []);
      expect(await commitments.get()).toMatchObject([{ type: instanceType, coversSizes: false }]);
    },
  );

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
      title: 'that are capacity blocks',
      reserved: { instanceCount: '0' },
      reservations: { reservationType: 'capacity-block' },
    },
    {
      title: 'in a placement group',
      reserved: { instanceCount: '0' },
      reservations: { placementGroupArn: 'arn:aws:ec2:us-east-1:111122223333:placement-group/near' },
    },
  ])('$title are left out', async ({ reserved, reservations }) => {
    const { commitments } = await world([instances(reserved)], [reservation(reservations)]);
    expect(await commitments.get()).toEqual([]);
  });

  test('are read again: capacity reservations after 20 seconds, reserved instances after half an hour', async () => {
    const { commitments, count, later } = await world([instances({})], [reservation({})]);
    await commitments.get();
    later(19);
    await commitments.get();
    expect([count(RESERVED), count(RESERVATIONS)]).toEqual([1, 1]);
    later(2);
    await commitments.get();
    expect([count(RESERVED), count(RESERVATIONS)]).toEqual([1, 2]);
    later(minutes(30) / 1000);
    await commitments.get();
    expect([count(RESERVED), count(RESERVATIONS)]).toEqual([2, 3]);
  });

  test('that may not be read are named once, and the others count', async () => {
    const refused = ec2Error(403, 'UnauthorizedOperation', 'You are not authorized to perform this operation.');
    const { commitments, said } = await world([instances({})], refused);
    expect(await commitments.get()).toMatchObject([{ kind: 'ReservedInstances' }]);
    await commitments.get();
    expect(said).toEqual([
      'Capacity that is paid for is not known (DescribeCapacityReservations: Authorization, UnauthorizedOperation): ' +
        'You are not authorized to perform this operation.',
    ]);
  });
});
