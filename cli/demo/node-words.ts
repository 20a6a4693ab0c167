import type { Unremovable } from '../../core/model/decision.ts';
import { shortName } from './text.ts';

/** A node without the domain that all of them share. */
export const shortNode = (name: string): string => name.split('.')[0]!;

/** Why a node stays, in a few words. */
const SHORT: Readonly<Partial<Record<Unremovable['reason'], string>>> = {
  NodeGroupMinSizeReached: 'the least of its group',
  NotUnderutilized: 'in use',
  NotAutoscaled: 'of no group',
  NoPlaceToMovePods: 'no other place',
  NotUnneededLongEnough: 'unneeded',
};

/** @param workloadOf the workload of a pod, by their keys. */
export function shortReason({ reason, pod }: Unremovable, workloadOf: (pod: string) => string | null): string {
  return reason === 'BlockedByPod' && pod !== undefined
    ? `kept by ${shortName(workloadOf(pod) ?? pod)}`
    : (SHORT[reason] ?? reason);
}

/** Why a node stays, in a sentence's part: `pod ledger-1: … is "false"`. */
export function longReason({ reason, pod, podReason, message }: Unremovable): string {
  const why = message ?? podReason ?? reason;
  return pod === undefined ? why : `pod ${shortName(pod)}: ${why}`;
}
