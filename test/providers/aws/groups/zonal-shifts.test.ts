import { describe, expect, test } from 'vitest';
import { clusterName } from '../../../../core/model/values/names.ts';
import { addTime, epochMs, minutes, seconds } from '../../../../core/model/values/time.ts';
import { createAutoScalingGroups } from '../../../../providers/aws/auto-scaling-groups.ts';
import {
  type Answer,
  autoScalingResult,
  type Call,
  ec2Error,
  ec2Result,
  groupXml,
  instanceTypeXml,
  jsonError,
  jsonResult,
  launchTemplateXml,
  startWireServer,
  type Xml,
} from '../wire-server.ts';

const CLUSTER = 'c1';
const START = epochMs(Date.UTC(2026, 0, 1));
const LATER = addTime(START, minutes(90));
const CLUSTER_ARN = 'arn:aws:eks:us-east-1:123456789012:cluster/c1';
const arnOf = (name: string): string =>
  `arn:aws:autoscaling:us-east-1:123456789012:autoScalingGroup:0f1e:autoScalingGroupName/${name}`;

const REGISTERED: Xml = { AvailabilityZoneImpairmentPolicy: { ZonalShiftEnabled: true } };
const MANAGED: Xml = {
  Tags: [
    { Key: 'k8s.io/cluster-autoscaler/enabled', Value: 'true' },
    { Key: `k8s.io/cluster-autoscaler/${CLUSTER}`, Value: 'owned' },
    { Key: 'eks:cluster-name', Value: CLUSTER },
    { Key: 'eks:nodegroup-name', Value: 'web' },
  ],
};

const asg = (name: string, zones: string, extra: Xml = {}): Xml =>
  groupXml(CLUSTER, name, {
    AutoScalingGroupARN: arnOf(name),
    AvailabilityZones: zones.split('').map((zone) => `us-east-1${zone}`),
    ...(extra as Record<string, Xml>),
  });

/** As `GetManagedResource` answers: of the shifts of a resource, one is applied. */
const shift = (zoneId: string, appliedStatus = 'APPLIED') => ({
  appliedStatus,
  awayFrom: zoneId,
  expiryTime: LATER / 1_000,
  startTime: START / 1_000,
  zonalShiftId: 's',
  resourceIdentifier: CLUSTER_ARN,
  comment: '',
});
const autoshift = (zoneId: string) => ({ appliedStatus: 'APPLIED', awayFrom: zoneId, startTime: START / 1_000 });

const NOT_REGISTERED = jsonError(404, 'ResourceNotFoundException', 'not found');
/** Zone IDs name other zones in each account. */
const ZONES = ec2Result('DescribeAvailabilityZones', {
  availabilityZoneInfo: [
    { zoneId: 'use1-az4', zoneName: 'us-east-1a' },
    { zoneId: 'use1-az6', zoneName: 'us-east-1b' },
    { zoneId: 'use1-az1', zoneName: 'us-east-1c' },
  ],
});

const requestFor = (arn: string): string => `GET /managedresources/${encodeURIComponent(arn)}`;

async function world(asgs: readonly Xml[], answers: Readonly<Record<string, Answer>>, zones: Answer = ZONES) {
  let time = START;
  const said: string[] = [];
  const { clients, calls } = await startWireServer(({ action }: Call): Answer => {
    const names = asgs.map((one) => (one as { readonly AutoScalingGroupName: string }).AutoScalingGroupName);
    switch (action) {
      case 'DescribeAutoScalingGroups':
        return autoScalingResult(action, { AutoScalingGroups: asgs });
      case 'DescribeLaunchTemplateVersions':
        return ec2Result(action, {
          launchTemplateVersionSet: names.map((name) => launchTemplateXml(name, 1, 'm5.large')),
        });
      case 'DescribeInstanceTypes':
        return ec2Result(action, { instanceTypeSet: [instanceTypeXml('m5.large')] });
      case 'DescribeAvailabilityZones':
        return zones;
      default: {
        const arn = Object.keys(answers).find((one) => requestFor(one) === action);
        return arn === undefined ? NOT_REGISTERED : answers[arn]!;
      }
    }
  });
  const groups = createAutoScalingGroups({
    cluster: clusterName(CLUSTER),
    region: 'us-east-1',
    clients,
    prices: false,
    warn: (message) => said.push(message),
    now: () => time,
  });
  return {
    said,
    shifts: async () =>
      Object.fromEntries((await groups.list([])).map(({ name, zonalShifts }) => [name, zonalShifts ?? null])),
    asked: () => calls.filter(({ action }) => action.startsWith('GET /managedresources')).map(({ action }) => action),
    zonesAsked: () => calls.filter(({ action }) => action === 'DescribeAvailabilityZones').length,
    wait: (length: Parameters<typeof addTime>[1]) => {
      time = addTime(time, length);
    },
  };
}

describe('the zonal shifts of node groups', () => {
  test("are those of their cluster, by the names that zones have in the cluster's account", async () => {
    const { shifts } = await world([asg('a', 'a'), asg('b', 'b'), asg('all', 'abc'), asg('web', 'abc', MANAGED)], {
      [CLUSTER_ARN]: jsonResult({ zonalShifts: [shift('use1-az4')], autoshifts: [] }),
    });
    const away = { zone: 'us-east-1a', until: LATER };
    expect(await shifts()).toEqual({
      a: [{ ...away, launches: false }],
      b: null,
      all: [{ ...away, launches: true }],
      web: [{ ...away, launches: false }],
    });
  });

  test('are those of a group that is registered itself: AWS launches in its other zones', async () => {
    const { shifts, asked } = await world([asg('own', 'ab', REGISTERED), asg('other', 'ab')], {
      [arnOf('own')]: jsonResult({ zonalShifts: [shift('use1-az6')] }),
    });
    expect(await shifts()).toEqual({ own: [{ zone: 'us-east-1b', until: LATER, launches: false }], other: null });
    expect(asked().toSorted()).toEqual([requestFor(arnOf('own')), requestFor(CLUSTER_ARN)]);
  });

  test('of a group and its cluster are one, which lasts as long as either', async () => {
    const { shifts } = await world([asg('own', 'ab', REGISTERED)], {
      [arnOf('own')]: jsonResult({ zonalShifts: [shift('use1-az4')] }),
      [CLUSTER_ARN]: jsonResult({ autoshifts: [autoshift('use1-az4')] }),
    });
    expect(await shifts()).toEqual({ own: [{ zone: 'us-east-1a', until: null, launches: false }] });
  });

  test('are those that are applied', async () => {
    const { shifts } = await world([asg('all', 'abc')], {
      [CLUSTER_ARN]: jsonResult({
        zonalShifts: [shift('use1-az4', 'NOT_APPLIED')],
        autoshifts: [autoshift('use1-az1')],
      }),
    });
    expect(await shifts()).toEqual({ all: [{ zone: 'us-east-1c', until: null, launches: true }] });
  });
});

describe('reading zonal shifts', () => {
  test('takes one call in ten seconds, and none that names zones while nothing is shifted', async () => {
    const { shifts, asked, zonesAsked, wait } = await world([asg('a', 'a')], {
      [CLUSTER_ARN]: jsonResult({ zonalShifts: [], autoshifts: [] }),
    });
    await shifts();
    await shifts();
    expect(asked()).toHaveLength(1);
    wait(seconds(10));
    await shifts();
    expect(asked()).toHaveLength(2);
    expect(zonesAsked()).toBe(0);
  });

  test('asks about a cluster that is not registered every five minutes, and says nothing of it', async () => {
    const { shifts, asked, said, wait } = await world([asg('a', 'a')], {});
    await shifts();
    wait(minutes(4));
    await shifts();
    expect(asked()).toHaveLength(1);
    wait(minutes(1));
    await shifts();
    expect(asked()).toHaveLength(2);
    expect(said).toEqual([]);
  });

  test.each<readonly [string, Answer, string]>([
    ['is refused', jsonError(403, 'AccessDeniedException', 'no right'), 'Authorization, AccessDeniedException'],
    ['fails', { status: 500, body: 'oops' }, 'Other, Error'],
    ['is answered with something else', jsonResult({ zonalShifts: 'none' }), 'Other, Error'],
  ])('leaves the groups as they are where it %s', async (_, answer, why) => {
    const { shifts, said } = await world([asg('a', 'a')], { [CLUSTER_ARN]: answer });
    expect(await shifts()).toEqual({ a: null });
    expect(said).toEqual([
      expect.stringContaining(`Whether traffic is shifted away from a zone is not known of ${CLUSTER_ARN} (${why})`),
    ]);
  });

  test('warns where the zone cannot be named', async () => {
    const { shifts, said } = await world(
      [asg('a', 'a')],
      { [CLUSTER_ARN]: jsonResult({ zonalShifts: [shift('use1-az4')] }) },
      ec2Error(403, 'UnauthorizedOperation', 'no right'),
    );
    expect(await shifts()).toEqual({ a: null });
    expect(said).toEqual([expect.stringContaining('not known of use1-az4 (Authorization, UnauthorizedOperation)')]);
  });
});
