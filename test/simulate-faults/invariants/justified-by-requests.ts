import type { Decision } from '../../../core/model/decision.ts';
import { BEST_EFFORT_ATOMIC } from '../../../core/model/cluster/provisioning-request.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { isConditionTrue } from '../../../core/model/cluster/status-condition.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { sizesOf } from '../drawn-buffers.ts';
import { fits } from '../packing.ts';
import type { Pool } from '../pools.ts';
import {
  isHeldNoLonger,
  isOver,
  mayBeBooked,
  mayBeTried,
  missingOf,
  type RequestHistory,
} from '../request-histories.ts';
import { members, roomOf } from '../truth.ts';
import { boughtFor } from './buffers-held.ts';
import type { Stage } from './invariant.ts';

/**
 * What ProvisioningRequests justify, in units: the room that is held for them, as far as it is there; that for all pods of one
 * of check-capacity which is found where nothing is bought; and what all pods of another one take, if they have room with the
 * nodes that are bought now. Part of a request justifies nothing. Whatever instances there are and were asked for may be counted on
 * by an evaluation that does not know better. Whether it holds the room of a request or looks for it is told by the request as it
 * has been read, where it can have been read so, and by the clock of the function: those of its pods that have come are among the
 * others.
 *
 * @param pods what is on the nodes, or nominated to them.
 */
export function justifiedByRequests(
  pool: Pool,
  pods: readonly Pod[],
  {
    requests,
    seen,
    decision,
    stage,
  }: {
    readonly requests: readonly RequestHistory[];
    readonly seen: Pick<Scenario, 'objects' | 'now'>;
    readonly decision: Decision;
    readonly stage: Stage;
  },
): readonly number[] {
  const { orders, world } = stage;
  const { clock, scaling } = world;
  const own = requests.filter(({ drawn }) => drawn.pool === pool).toSorted((a, b) => a.drawn.from - b.drawn.from);
  if (own.length === 0) {
    return [];
  }
  const room = roomOf(world, pool, pods, orders.open(), {
    now: epochMs(0),
    failedAt: () => epochMs(0),
    lastTrouble: new Map(),
    closed: new Set(),
    afterOthers: true,
    despiteErrors: true,
    awaited: new Set(scaling.groups().flatMap((view) => members(view).map(({ id }) => id))),
  });
  const bought = boughtFor({ pool }, decision, stage);
  const isReadAs = ({ drawn: { name } }: RequestHistory, provisioned: boolean): boolean =>
    seen.objects.provisioningRequests.some(
      (one) =>
        one.name === name &&
        !isOver(one) &&
        isConditionTrue(one, 'Provisioned') === provisioned &&
        !(provisioned && isHeldNoLonger(one, seen.now)),
    );
  let justified: readonly number[] = [];
  for (const history of own) {
    if (isReadAs(history, true) && mayBeBooked(history, clock.now())) {
      for (const size of missingOf(history, seen.objects.pods)) {
        justified = fits([...justified, size], room) ? [...justified, size] : justified;
      }
    }
  }
  for (const history of own) {
    if (isReadAs(history, false) && mayBeTried(history, clock.now())) {
      const whole = [...justified, ...sizesOf(history.drawn)];
      const places = history.drawn.className === BEST_EFFORT_ATOMIC ? [...room, ...bought] : room;
      justified = fits(whole, places) ? whole : justified;
    }
  }
  return justified;
}
