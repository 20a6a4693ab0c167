import { epochMs, type EpochMs } from '../../core/model/values/time.ts';
import type { Pool } from './pools.ts';

/** Nodes of a pool that may be bought and not be needed, because of what has happened to others. */
interface Allowance {
  readonly pool: Pool;
  /** Nodes that were bought earlier are not meant. */
  readonly from: EpochMs;
  /** When what allows them was over; later than any time while it goes on. */
  until: EpochMs;
  nodes: number;
}

const ALWAYS = epochMs(0);
const GOES_ON = epochMs(Number.MAX_SAFE_INTEGER);

/**
 * The nodes that may go again soon after they were bought: as many as the trouble in their pool has made good for, and
 * each trouble counts once. One lost instance is replaced by one; that allows one node too many, and not any number of them.
 */
export interface Allowances {
  /** Something has happened, and is over. @param from nodes that were bought before this are not meant; by default all are */
  readonly allow: (pool: Pool, nodes: number, from?: EpochMs) => void;
  /** Something goes on, until it is reported with 0 nodes. More nodes than at first are added, fewer are not taken back. */
  readonly goesOn: (what: string, pool: Pool, nodes: number) => void;
  /** Takes one node, bought at `bought`, of what has not been over before `since`; `false`: nothing is left. */
  readonly take: (pool: Pool, since: number, bought: EpochMs) => boolean;
}

export function createAllowances(now: () => EpochMs): Allowances {
  const all: Allowance[] = [];
  const going = new Map<string, { readonly allowance: Allowance; given: number }>();
  return {
    allow: (pool, nodes, from = ALWAYS) => {
      all.push({ pool, from, until: now(), nodes });
    },
    goesOn: (what, pool, nodes) => {
      const one = going.get(what);
      if (nodes === 0) {
        if (one !== undefined) {
          one.allowance.until = now();
          going.delete(what);
        }
      } else if (one === undefined) {
        const allowance = { pool, from: ALWAYS, until: GOES_ON, nodes };
        all.push(allowance);
        going.set(what, { allowance, given: nodes });
      } else if (nodes > one.given) {
        one.allowance.nodes += nodes - one.given;
        one.given = nodes;
      }
    },
    take: (pool, since, bought) => {
      const one = all.find(
        (allowance) =>
          allowance.pool === pool && allowance.from <= bought && allowance.until >= since && allowance.nodes > 0,
      );
      if (one !== undefined) {
        one.nodes -= 1;
      }
      return one !== undefined;
    },
  };
}
