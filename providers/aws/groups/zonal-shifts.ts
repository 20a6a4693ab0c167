import { DescribeAvailabilityZonesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, minutes, seconds, epochMs } from '@outrigger/core/model/values/time.ts';
import type { ZonalShift } from '@outrigger/core/model/zonal-shift.ts';
import type { HourlyWarn } from '../../node-groups/warnings.ts';
import { type AwsClients, abortable } from '../api/clients.ts';
import { type LookupResult, type Lookup, createLookup, foundFor, createSingleLookup } from '../api/lookup.ts';
import type { AppliedShift } from '../api/managed-resources.ts';
import type { ScalingGroup } from './scaling-group.ts';
import { failureText } from '../api/failures.ts';

/** Reads the zonal shifts of the cluster and of its groups, by group; groups without any are left out. */
type ReadZonalShifts = (
  groups: readonly ScalingGroup[],
  signal?: AbortSignal,
) => Promise<ReadonlyMap<ScalingGroup, readonly ZonalShift[]>>;

/** Evaluations that webhooks cause in a burst share one answer; the next scan sees whatever an event has announced. */
const TTL = seconds(10);
/** No evaluation waits for an answer that has not come: without the endpoint in its network, none will. */
const RETRY_AFTER = minutes(5);
/** IDs of zones never change. */
const ZONES_TTL = minutes(24 * 60);

/**
 * Reads the zonal shifts of an EKS cluster, and of those Auto Scaling groups that are registered with zonal shift. A resource that is
 * not registered is asked about every five minutes.
 */
export function createZonalShifts(
  { ec2, readShifts }: Pick<AwsClients, 'ec2' | 'readShifts'>,
  cluster: ClusterName,
  now: () => EpochMs,
  warn: HourlyWarn,
): ReadZonalShifts {
  const resources = createSingleLookup(readShifts, TTL, now, RETRY_AFTER);
  const zones = createZoneNames(ec2, now);
  return async (groups, signal) => {
    const ofCluster = groups.map(({ arn }) => clusterArnOf(arn, cluster)).find((arn) => arn !== null) ?? null;
    const own = groups.filter(({ zonalShift }) => zonalShift).map(({ arn }) => arn);
    const found = await resources.get(
      [ofCluster, ...own].filter((arn) => arn !== null),
      signal,
    );
    const shiftsOf = (arn: string | null): readonly AppliedShift[] => foundFor(found, arn) ?? [];
    warnOfFailures(found, warn);
    const ids = [...new Set([...found.keys()].flatMap((arn) => shiftsOf(arn).map(({ zoneId }) => zoneId)))];
    if (ids.length === 0) {
      return new Map();
    }
    const names = await zones.get(ids, signal);
    warnOfFailures(names, warn);
    const byGroup = new Map<ScalingGroup, readonly ZonalShift[]>();
    for (const group of groups) {
      const ofGroup = shiftsOf(group.zonalShift ? group.arn : null);
      const shifts = shiftsOfGroup(group, ofGroup, shiftsOf(ofCluster), names);
      if (shifts.length > 0) {
        byGroup.set(group, shifts);
      }
    }
    return byGroup;
  };
}

/** The names of zones in this account, by their IDs. */
const createZoneNames = (ec2: EC2Client, now: () => EpochMs): Lookup<string> =>
  createLookup(
    async (_, signal) => {
      const { AvailabilityZones = [] } = await ec2.send(new DescribeAvailabilityZonesCommand({}), abortable(signal));
      return new Map(AvailabilityZones.map(({ ZoneId = '', ZoneName = '' }) => [ZoneId, ok(ZoneName)]));
    },
    ZONES_TTL,
    now,
  );

/** An EKS cluster is in the account and the region of its groups. */
function clusterArnOf(group: string | null, cluster: ClusterName): string | null {
  const [, partition, , region, account] = group?.split(':') ?? [];
  return account === undefined ? null : `arn:${partition}:eks:${region}:${account}:cluster/${cluster}`;
}

/**
 * The shifts away from zones of the group. While a shift of the group is applied, Auto Scaling launches in the other
 * zones; while a shift of the cluster is applied, EKS keeps launches of managed node groups out of the zone.
 */
function shiftsOfGroup(
  { zones, members, parsedTags }: ScalingGroup,
  own: readonly AppliedShift[],
  ofCluster: readonly AppliedShift[],
  names: ReadonlyMap<string, LookupResult<string>>,
): readonly ZonalShift[] {
  const launches = zones.length > 1 && parsedTags.managedNodeGroup === null;
  const used = new Set([...zones, ...members.flatMap(({ zone }) => zone ?? [])]);
  const shifts = new Map<string, ZonalShift>();
  for (const { zoneId, until, launches: may } of [
    ...ofCluster.map((shift) => ({ ...shift, launches })),
    ...own.map((shift) => ({ ...shift, launches: false })),
  ]) {
    const zone = foundFor(names, zoneId);
    if (zone !== null && used.has(zone)) {
      const { until: before = until } = shifts.get(zone) ?? {};
      shifts.set(zone, { zone, until: later(until, before), launches: may });
    }
  }
  return [...shifts.values()];
}

const later = (a: EpochMs | null, b: EpochMs | null): EpochMs | null =>
  a === null || b === null ? null : epochMs(Math.max(a, b));

/** A resource that is not registered has no shifts. */
function warnOfFailures(found: ReadonlyMap<string, LookupResult<unknown>>, warn: HourlyWarn): void {
  for (const [of, one] of found) {
    if (!one.ok && one.error.code !== 'ResourceNotFoundException') {
      warn(
        `zonal shifts: ${one.error.code}`,
        `Whether traffic is shifted away from a zone is not known of ${of} ${failureText(one.error)}`,
      );
    }
  }
}
