import {
  type CapacityReservation,
  DescribeReservedInstancesCommand,
  type EC2Client,
  paginateDescribeCapacityReservations,
} from '@aws-sdk/client-ec2';
import type { Commitment, InstanceCommitment, UnreadCommitments } from '@outrigger/core/model/commitment.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { type DurationMs, type EpochMs, minutes, seconds } from '@outrigger/core/model/values/time.ts';
import { type AwsClients, abortable } from '../api/clients.ts';
import type { AwsFailure } from '../api/failures.ts';
import type { HourlyWarn } from '../../node-groups/warnings.ts';
import { createPlanRates } from './savings-plans.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { createSingleLookup } from '../api/lookup.ts';
import { err, type Result } from '@outrigger/core/model/values/result.ts';

/** Capacity of the account that is paid for whether instances use it or not. */
export interface Commitments {
  /**
   * Rejects only for aborts and bugs: a failed call is a commitment of the kind `Unread`, and a warning.
   *
   * @param types the instance types whose rates savings plans are to have.
   */
  get(types: ReadonlySet<string>, signal?: AbortSignal): Promise<readonly Commitment[]>;
}

/** Reserved instances and savings plans are bought by persons, for years. */
const BOUGHT_TTL = minutes(30);
/** The number of unused instances of a capacity reservation changes with every launch. */
const CAPACITY_RESERVATIONS_TTL = seconds(20);

/** No decision waits for a plan: a failed call is not repeated in the next evaluation. */
const PLANS_RETRY_AFTER = minutes(5);

const ALL = 'all';

/** Cached answers of a call about the whole account. */
interface CachedCall<T> {
  readonly action: string;
  readonly load: (signal?: AbortSignal) => Promise<readonly T[]>;
  readonly ttl: DurationMs;
  /** Absent: as for all lookups. */
  readonly retryAfter?: DurationMs;
}

/**
 * Reads reserved instances, on-demand capacity reservations, capacity blocks and savings plans: those for Linux on shared
 * hardware, and of capacity reservations those that any instance uses whose type and zone match (`open`).
 */
export function createCommitments(
  { ec2, savingsPlans }: Pick<AwsClients, 'ec2' | 'savingsPlans'>,
  now: () => EpochMs,
  warn: HourlyWarn,
): Commitments {
  const unread = (action: string, { class: failureClass, code, message }: AwsFailure): UnreadCommitments => {
    warn(
      `commitments: ${action}`,
      `Capacity that is paid for is not known (${action}: ${failureClass}, ${code}): ${message}`,
    );
    return { kind: 'Unread', call: action };
  };
  const cached = <T>({ action, load, ttl, retryAfter }: CachedCall<T>) => {
    const lookup = createSingleLookup((_, signal) => load(signal), ttl, now, retryAfter);
    return async (signal?: AbortSignal): Promise<Result<readonly T[], UnreadCommitments>> => {
      const found = getExisting(await lookup.get([ALL], signal), ALL);
      return found.ok ? found : err(unread(action, found.error));
    };
  };
  const reserved = cached({
    action: 'DescribeReservedInstances',
    load: (signal) => reservedInstances(ec2, signal),
    ttl: BOUGHT_TTL,
  });
  const reservations = cached({
    action: 'DescribeCapacityReservations',
    load: (signal) => capacityReservations(ec2, signal),
    ttl: CAPACITY_RESERVATIONS_TTL,
  });
  const activePlans = cached({
    action: 'DescribeSavingsPlans',
    load: (signal) => savingsPlans.plans(signal),
    ttl: BOUGHT_TTL,
    retryAfter: PLANS_RETRY_AFTER,
  });
  const rates = createPlanRates(savingsPlans, now, PLANS_RETRY_AFTER);
  const ratedPlans = async (
    active: Awaited<ReturnType<typeof activePlans>>,
    types: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<readonly Commitment[]> => {
    if (!active.ok) {
      return [active.error];
    }
    const { plans, failures } = await rates(active.value, types, signal);
    return [...plans, ...failures.map((failure) => unread('DescribeSavingsPlanRates', failure)).slice(0, 1)];
  };
  return {
    async get(types, signal) {
      const [ofInstances, plans] = await Promise.all([
        Promise.all([reserved(signal), reservations(signal)]),
        activePlans(signal).then((active) => ratedPlans(active, types, signal)),
      ]);
      const read = ofInstances.flatMap((found) => (found.ok ? found.value : []));
      const failed = ofInstances.flatMap((found) => (found.ok ? [] : [found.error]));
      return [...merged(read), ...plans, ...failed];
    },
  };
}

const LINUX: ReadonlySet<string | undefined> = new Set(['Linux/UNIX', 'Linux/UNIX (Amazon VPC)']);

async function reservedInstances(ec2: EC2Client, signal?: AbortSignal): Promise<readonly InstanceCommitment[]> {
  // The operation has no pages.
  const { ReservedInstances = [] } = await ec2.send(
    new DescribeReservedInstancesCommand({ Filters: [{ Name: 'state', Values: ['active'] }] }),
    abortable(signal),
  );
  return ReservedInstances.flatMap((one): readonly InstanceCommitment[] => {
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
 * Are regional reserved instances of the type applied to other sizes of its family? Not for G4ad, G4dn, G5, G5g, G6, G6e, G6f, Gr6, Gr6f,
 * Hpc7a, P5, Inf1, Inf2, u7i-6tb and u7i-8tb; later generations of these count alike. Source: "How Reserved Instances are applied" in the
 * EC2 user guide.
 */
const isSizeFlexible = (type: string): boolean => !/^(?:gr?[4-9]|p[5-9]|inf|hpc7a|u\d)/.test(type);

async function capacityReservations(ec2: EC2Client, signal?: AbortSignal): Promise<readonly InstanceCommitment[]> {
  const found: InstanceCommitment[] = [];
  const pages = paginateDescribeCapacityReservations(
    { client: ec2 },
    { Filters: [{ Name: 'state', Values: ['active'] }] },
    abortable(signal),
  );
  for await (const { CapacityReservations = [] } of pages) {
    for (const one of CapacityReservations) {
      const { InstanceType: type, TotalInstanceCount: count = 0, AvailabilityZone: zone } = one;
      const kind = kindOf(one);
      const isPlain = one.Tenancy === 'default' && one.OutpostArn === undefined && one.PlacementGroupArn === undefined;
      if (kind !== null && type !== undefined && zone !== undefined && count > 0 && isPlain) {
        if (one.InstancePlatform === 'Linux/UNIX') {
          const available = one.AvailableInstanceCount ?? 0;
          found.push({ kind, type, zone, count, available, coversSizes: false });
        }
      }
    }
  }
  return found;
}

/** `null` for `targeted` reservations: the reservation that a launch template names is not read. */
function kindOf({ ReservationType, InstanceMatchCriteria }: CapacityReservation): InstanceCommitment['kind'] | null {
  if (ReservationType === 'capacity-block') {
    return 'CapacityBlock';
  }
  return (ReservationType ?? 'default') === 'default' && InstanceMatchCriteria === 'open'
    ? 'CapacityReservation'
    : null;
}

/** Adds up the commitments of each kind, type and zone. Their order does not depend on that of AWS. */
function merged(found: readonly InstanceCommitment[]): readonly InstanceCommitment[] {
  const keyOf = ({ kind, type, zone }: InstanceCommitment): string => [kind, type, zone ?? ''].join(' ');
  const byKey = new Map<string, InstanceCommitment>();
  for (const one of found) {
    const { count = 0, available = null } = byKey.get(keyOf(one)) ?? {};
    byKey.set(keyOf(one), {
      ...one,
      count: one.count + count,
      available: mapOptional(one.available, (unused) => unused + (available ?? 0)),
    });
  }
  return [...byKey].sort(([a], [b]) => byName(a, b)).map(([, one]) => one);
}
