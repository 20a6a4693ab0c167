import { textBefore } from '@outrigger/core/model/values/existing.ts';
import type { Unremovable } from '@outrigger/core/model/decision.ts';
import { WHY_NODE_STAYS, whyNodeStays } from '@outrigger/core/words/why-node-stays.ts';
import { shortName } from '../../terminal/text.ts';

/** A node's name without its domain, which all nodes share. */
export const shortNode = (name: string): string => textBefore(name, '.');

/**
 * Why a node stays, in a few words.
 *
 * @param workloads the workload of each pod, by their keys.
 */
export function shortReason({ reason, pod }: Unremovable, workloads: ReadonlyMap<string, string>): string {
  if (reason === 'BlockedByPod' && pod !== undefined) {
    return `blocked by ${shortName(workloads.get(pod) ?? pod)}`;
  }
  return WHY_NODE_STAYS[reason].short;
}

/** Why a node stays, as part of a sentence: `pod ledger-1: … is "false"`. */
export const longReason = (why: Unremovable): string => whyNodeStays(why, shortName);
