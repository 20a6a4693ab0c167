import {
  DescribeReservedInstancesCommand,
  type EC2Client,
  paginateDescribeCapacityReservations,
} from '@aws-sdk/client-ec2';
import type { Commitment } from '@outrigger/core/model/commitment.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import { type DurationMs, type EpochMs, minutes, seconds } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { createLookup, foundFor, type Lookup, loadEach } from '../api/lookup.ts';
import type { HourlyWarn } from '../../node-groups/warnings.ts';

/** Capacity of the account that is paid for whether instances use it or not. */
export interface Commitments {
  /** Rejects only for aborts and bugs: what cannot be read is left out, with a warning. */
  get(signal?: AbortSignal): Promise<readonly Commitment[]>;
}

/** Reserved instances are bought by persons, for years. */
const RESERVED_INSTANCES_TTL = minutes(30);
/** The number of unused instances of a capacity reservation changes with every launch. */
const CAPACITY_RESERVATIONS_TTL = seconds(20);

const ALL = 'all';

/**
 * Reads reserved instances and on-demand capacity reservations: those for Linux on shared hardware, and of capacity
 * reservations those that any instance uses whose type and zone match (`open`). Savings plans are left out: the rest of a plan
 * depends on every account that shares the plan.
 */
export function createCommitments(ec2: EC2Client, now: () => EpochMs, warn: HourlyWarn): Commitments {
  const sources = [
    {
      action: 'DescribeReservedInstances',
      lookup: lookupAll((signal) => reservedInstances(ec2, signal), RESERVED_INSTANCES_TTL, now),
    },
    {
      action: 'DescribeCapacityReservations',
      lookup: lookupAll((signal) => capacityReservations(ec2, signal), CAPACITY_RESERVATIONS_TTL, now),
    },
  ];
  return {
    async get(signal) {
      const found = await Promise.all(
        sources.map(async ({ action, lookup }) => {
          const read = await lookup.get([ALL], signal);
          const result = read.get(ALL);
          if (result?.ok === false) {
            const { class: failureClass, code, message } = result.error;
            warn(
              `commitments: ${action}`,
              `Capacity that is paid for is not known (${action}: ${failureClass}, ${code}): ${message}`,
            );
          }
          return foundFor(read, ALL) ?? [];
        }),
      );
      return merged(found.flat());
    },
  };
}

const lookupAll = (
  load: (signal?: AbortSignal) => Promise<readonly Commitment[]>,
  ttl: DurationMs,
  now: () => EpochMs,
): Lookup<readonly Commitment[]> =>
  createLookup(
    (keys, signal) =>
      loadEach(
        keys,
        async (key) => [[key, ok(await load(signal))] as const],
        (key) => [key],
      ),
    ttl,
    now,
  );

const LINUX: ReadonlySet<string | undefined> = new Set(['Linux/UNIX', 'Linux/UNIX (Amazon VPC)']);

async function reservedInstances(ec2: EC2Client, signal?: AbortSignal): Promise<readonly Commitment[]> {
  // The operation has no pages.
  const { ReservedInstances = [] } = await ec2.send(
    new DescribeReservedInstancesCommand({ Filters: [{ Name: 'state', Values: ['active'] }] }),
    abortable(signal),
  );
  return ReservedInstances.flatMap((one): readonly Commitment[] => {
    const { InstanceType: type, InstanceCount: count = 0, Scope, AvailabilityZone } = one;
    if (type === undefined || count < 1 || one.InstanceTenancy !== 'default' || !LINUX.has(one.ProductDescription)) {
      return [];
    }
    const zone = Scope === 'Region' ? null : (AvailabilityZone ?? null);
    const coversSizes = zone === null && isSizeFlexible(type);
    return [{ kind: 'ReservedInstances', type, zone, count, available: null, coversSizes }];
  });
}

/**
 * Are regional reserved instances of the type applied to other sizes of its family? Not for accelerated and high-performance
 * types; source: "How Reserved Instances are applied" in the EC2 user guide.
 */
const isSizeFlexible = (type: string): boolean => !/^(?:g\d|p\d|inf|trn|dl|vt|f\d|hpc|u-|u\d|mac)/.test(type);

async function capacityReservations(ec2: EC2Client, signal?: AbortSignal): Promise<readonly Commitment[]> {
  const found: Commitment[] = [];
  const pages = paginateDescribeCapacityReservations(
    { client: ec2 },
    { Filters: [{ Name: 'state', Values: ['active'] }] },
    abortable(signal),
  );
  for await (const { CapacityReservations = [] } of pages) {
    for (const one of CapacityReservations) {
      const { InstanceType: type, TotalInstanceCount: count = 0, AvailabilityZone: zone } = one;
      const isOpen = one.InstanceMatchCriteria === 'open' && one.Tenancy === 'default';
      const isOrdinary = (one.ReservationType ?? 'default') === 'default' && one.OutpostArn === undefined;
      if (type !== undefined && zone !== undefined && count > 0 && isOpen && isOrdinary) {
        if (one.InstancePlatform === 'Linux/UNIX' && one.PlacementGroupArn === undefined) {
          const available = one.AvailableInstanceCount ?? 0;
          found.push({ kind: 'CapacityReservation', type, zone, count, available, coversSizes: false });
        }
      }
    }
  }
  return found;
}

/** Adds up the commitments of each kind, type and zone. Their order does not depend on that of AWS. */
function merged(found: readonly Commitment[]): readonly Commitment[] {
  const keyOf = ({ kind, type, zone }: Commitment): string => [kind, type, zone ?? ''].join(' ');
  const byKey = new Map<string, Commitment>();
  for (const one of found) {
    const { count = 0, available = null } = byKey.get(keyOf(one)) ?? {};
    byKey.set(keyOf(one), {
      ...one,
      count: one.count + count,
      available: one.available === null ? null : one.available + (available ?? 0),
    });
  }
  return [...byKey].sort(([a], [b]) => byName(a, b)).map(([, one]) => one);
}
