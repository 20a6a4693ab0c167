import { expect, test } from 'vitest';
import { BEST_EFFORT_ATOMIC, type ProvisioningRequest } from '../../core/model/cluster/provisioning-request.ts';
import { isConditionTrue } from '../../core/model/cluster/status-condition.ts';
import type { RequestStatus } from '../../core/model/cluster/provisioning-request.ts';
import { type Broken, findingOf } from './broken.ts';
import { PROVISIONING_REQUESTS } from './drawn-requests.ts';
import { nothingInVain } from './invariants/nothing-in-vain.ts';
import { requestsAnswered } from './invariants/requests-answered.ts';
import type { Tamper } from './run.ts';
import { scenarioFor } from './scenario.ts';

/** Requests are read otherwise than they are. */
const reading = (change: (request: ProvisioningRequest) => ProvisioningRequest | null): Tamper => ({
  world: (world) => ({
    ...world,
    reader: {
      ...world.reader,
      read: async (...call) => {
        const { objects, ...more } = await world.reader.read(...call);
        const provisioningRequests = objects.provisioningRequests.flatMap((one) => change(one) ?? []);
        return { ...more, objects: { ...objects, provisioningRequests } };
      },
    },
  }),
});

/** Their statuses are written otherwise than they are to be. */
const writing = (change: (status: RequestStatus) => RequestStatus): Tamper => ({
  world: (world) => ({
    ...world,
    writer: {
      ...world.writer,
      writeRequestStatus: async (status, signal) => await world.writer.writeRequestStatus(change(status), signal),
    },
  }),
});

const withFewerPods = (request: ProvisioningRequest): ProvisioningRequest => ({
  ...request,
  podSets: request.podSets.map((set) => ({ ...set, count: Math.ceil(set.count / 2) })),
});

const withoutAnswer = (request: ProvisioningRequest): ProvisioningRequest => ({ ...request, conditions: [] });

const CASES: readonly (Pick<Broken, 'name' | 'tamper' | 'found' | 'from'> & { readonly says: RegExp })[] = [
  { name: 'requests that nobody reads', tamper: reading(() => null), found: requestsAnswered, says: /no answer for/ },
  {
    name: 'part of the room of a request, which is said to be all of it',
    tamper: reading(withFewerPods),
    found: requestsAnswered,
    from: 9,
    says: /is told CapacityIs/,
  },
  {
    name: 'part of the room of a request that is too large',
    tamper: reading(withFewerPods),
    found: nothingInVain,
    says: /have been bought for them/,
  },
  {
    name: 'nodes for a request that is to add none',
    tamper: reading((request) => ({ ...request, className: BEST_EFFORT_ATOMIC })),
    found: nothingInVain,
    says: /have been bought for them/,
  },
  {
    name: 'the same, by what it is told',
    tamper: reading((request) => ({ ...request, className: BEST_EFFORT_ATOMIC })),
    found: requestsAnswered,
    says: /nodes were added for a request that is to add none/,
  },
  {
    name: 'answers that are forgotten',
    tamper: reading(withoutAnswer),
    found: requestsAnswered,
    says: /was True, and is|has held its room|answered for good|are to go with/,
  },
  {
    name: 'room that is given away when it has been promised',
    tamper: reading((request) => (isConditionTrue(request, 'Provisioned') ? null : request)),
    found: requestsAnswered,
    says: /are to go with pods of|has held its room for/,
  },
  {
    name: 'an end of the booking that is never said',
    tamper: writing((status) => ({
      ...status,
      conditions: status.conditions.filter(({ type }) => type !== 'BookingExpired'),
    })),
    found: requestsAnswered,
    says: /has held its room for/,
  },
];

test.each(CASES)('$name: found', async ({ says, ...broken }) => {
  expect(await findingOf({ ...broken, draw: [PROVISIONING_REQUESTS] })).toMatch(says);
});

test('requests come within the time of faults, are for pods of their pool, and their jobs go again', () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const { requests, pools, start, faultsUntil } = scenarioFor(seed, 'aws', [PROVISIONING_REQUESTS]);
    for (const { pool, units, pods, from, until } of requests) {
      expect(pools).toContain(pool);
      expect(pods * units).toBeGreaterThan(0);
      expect(from).toBeGreaterThan(start);
      expect(until).toBeGreaterThan(from);
      expect(until).toBeLessThan(faultsUntil);
    }
  }
});
