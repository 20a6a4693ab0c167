import { isConditionTrue } from '../../../core/model/cluster/status-condition.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { DrawnRequest } from '../fault-scenario.ts';
import { nodeUnits } from '../node-sizes.ts';
import { watchQuiet } from '../quiet-pools.ts';
import { members } from '../truth.ts';
import { podsHeld } from './buffers-held.ts';
import type { Invariant } from './invariant.ts';

/** Capacity is reserved for ten minutes (docs/provisioning-requests.md), by clocks that may be off. */
const RESERVED_MS = minutes(9);
/** A pool that is left alone so long is read as it is. */
const READ_AGE_MS = minutes(1);

/**
 * For nine minutes from the answer, or until its pods are there, no removal leaves a ProvisioningRequest without the
 * capacity that it was given: if the ready nodes of its pool can hold its pods, the remaining and the starting nodes
 * can do so, too.
 */
export const reservationsKept: Invariant = {
  name: 'no node is removed whose capacity is reserved',
  on: ['aws'],
  assumes: ['skew'],
  watch: (stage, violate, count) => {
    const { scenario, world, orders, announcements } = stage;
    const { api, clock, scaling } = world;
    const quietSince = watchQuiet(stage, true);
    const givenAt = new Map<DrawnRequest, EpochMs>();
    /** Names of applications whose pods have come, those of requests among them. */
    const begun = new Set<string | undefined>();
    api.watch({ pod: ({ labels }) => begun.add(labels['app']) });
    const requestOf = ({ name }: DrawnRequest) =>
      api.headroomSources().provisioningRequests.find((other) => other.name === name);
    const startingFor = ({ pool, units }: DrawnRequest): number =>
      scaling.groups().reduce((sum, view) => {
        const starting = members(view).filter(({ node }) => node === null || !api.nodes.has(node)).length;
        return (
          sum + (pool.groups.includes(view.group.name) ? starting : 0) * Math.floor(nodeUnits(pool, view.group) / units)
        );
      }, 0);
    return {
      step: () => {
        for (const one of scenario.requests) {
          const request = requestOf(one);
          if (!givenAt.has(one) && request !== undefined && isConditionTrue(request, 'Provisioned')) {
            givenAt.set(one, clock.now());
          }
        }
      },
      committed: ({ intents }) => {
        const leaving = new Set(
          orders.open().flatMap((one) => (one.kind === 'RemoveNodes' ? one.nodes.map(({ node }) => node) : [])),
        );
        const decided = intents.flatMap((one) => (one.kind === 'RemoveNodes' ? one.nodes : []));
        const going = decided.filter(({ instance }) => announcements.of(instance).length === 0);
        for (const one of going.length === 0 ? [] : scenario.requests) {
          const since = givenAt.get(one) ?? Number.NEGATIVE_INFINITY;
          const isReserved = clock.now() - since < RESERVED_MS && requestOf(one) !== undefined;
          if (!isReserved || begun.has(one.name) || clock.now() - quietSince(one.pool) < READ_AGE_MS) {
            continue;
          }
          const before = podsHeld(stage, one, leaving.difference(new Set(going.map(({ node }) => node))));
          const after = podsHeld(stage, one, leaving);
          count(before >= one.pods);
          if (before >= one.pods && after + startingFor(one) < one.pods) {
            violate(
              `${going.map(({ node }) => node).join(', ')} are to be removed, and ${one.name} has room for ${after} of ${one.pods} pods then`,
            );
          }
        }
      },
    };
  },
};
