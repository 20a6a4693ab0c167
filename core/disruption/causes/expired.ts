import type { Node } from '../../model/cluster/node.ts';
import { addTime, type DurationMs, type EpochMs, epochMs } from '../../model/values/time.ts';
import { hashOf } from '../../model/seed.ts';
import { groupOption } from '../../model/node-group.ts';
import { DISRUPTION_MESSAGES } from '../../words/disruption.ts';
import type { Cause } from './cause.ts';

/** The node is older than `expireAfter`. */
export const EXPIRED: Cause = {
  reason: 'Expired',
  isEnabled: (group, { options }) => groupOption(options, group, 'expireAfter') > 0,
  find: (node, group, { options, now }) => {
    const at = expiresAt(node, groupOption(options, group, 'expireAfter'));
    return at !== null && at <= now ? DISRUPTION_MESSAGES.expired(at) : null;
  },
};

/** The share of `expireAfter` by which nodes that were launched together are told apart. */
const SPREAD = 0.1;

/**
 * When a node is too old: before `expireAfter` is over, by up to a tenth of it. How much before is a matter of the node's UID, so
 * that nodes which came together do not go together. `null`: never, or its age is not known.
 *
 * @param expireAfter 0: never.
 */
export function expiresAt({ uid, name, createdAt }: Node, expireAfter: DurationMs): EpochMs | null {
  if (expireAfter <= 0 || createdAt === null) {
    return null;
  }
  const early = Math.floor((mixed(hashOf(uid === '' ? name : uid)) / 2 ** 32) * SPREAD * expireAfter);
  return epochMs(addTime(createdAt, expireAfter) - early);
}

/** Spreads hashes of texts that differ in their last letters (the finalizer of MurmurHash3). */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
