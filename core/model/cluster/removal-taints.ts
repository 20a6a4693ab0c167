import { DELETION_CANDIDATE_TAINT, type Node, type Taint, TO_BE_DELETED_TAINT } from './node.ts';
import type { Options } from '../options.ts';
import { epochMs, type EpochMs, minutes } from '../values/time.ts';

/**
 * The taint that Cluster Autoscaler and Karpenter mean to share; its value says how far a removal has come. Cluster
 * Autoscaler's own taints say it by their key, and have the time in seconds since 1970 as their value.
 */
export const DISRUPTION_TAINT = 'node-lifecycle.kubernetes.io/disruption';
/**
 * Karpenter's own taints on a node that it is removing; the second is of its versions before 1.0. Neither is ever put on or
 * taken off here.
 */
export const KARPENTER_TAINTS: readonly string[] = ['karpenter.sh/disrupted', 'karpenter.sh/disruption'];

const CANDIDATE = 'candidate';
const DISRUPTING = 'disrupting';

/** The taints to write; taints of the other kind are understood all the same. */
type Scheme = Pick<Options, 'nodeLifecycleTaints'>;

const unixSeconds = (time: EpochMs): string => String(Math.floor(time / 1_000));

/** The shared taint on a node that is being removed. */
export const DISRUPTING_TAINT: Taint = Object.freeze({
  key: DISRUPTION_TAINT,
  value: DISRUPTING,
  effect: 'NoSchedule',
});

/** Keeps pods away from a node that is being removed. */
export function removalTaint({ nodeLifecycleTaints }: Scheme, since: EpochMs): Taint {
  if (nodeLifecycleTaints) {
    return DISRUPTING_TAINT;
  }
  return { key: TO_BE_DELETED_TAINT, value: unixSeconds(since), effect: 'NoSchedule' };
}

/** Ends what is still left on a node whose pods have moved. Only the shared taint has such a stage. */
export const LAST_TAINT: Taint = Object.freeze({ key: DISRUPTION_TAINT, value: DISRUPTING, effect: 'NoExecute' });

/** Keeps the scheduler from a node that is unneeded, as long as there is another place. */
export function candidateTaint({ nodeLifecycleTaints }: Scheme, since: EpochMs): Taint {
  if (nodeLifecycleTaints) {
    return { key: DISRUPTION_TAINT, value: CANDIDATE, effect: 'PreferNoSchedule' };
  }
  return { key: DELETION_CANDIDATE_TAINT, value: unixSeconds(since), effect: 'PreferNoSchedule' };
}

/** A taint that says: this node is being removed. */
export const isRemovalTaint = ({ key, value }: Taint): boolean =>
  key === TO_BE_DELETED_TAINT || (key === DISRUPTION_TAINT && value === DISRUPTING) || KARPENTER_TAINTS.includes(key);

/** A taint that says: this node is unneeded. */
export const isCandidateTaint = ({ key, value }: Taint): boolean =>
  key === DELETION_CANDIDATE_TAINT || (key === DISRUPTION_TAINT && value === CANDIDATE);

/** Whether the node's taints mark it for removal: by Outrigger, Cluster Autoscaler or a tool that uses their taints. */
export const isBeingRemoved = ({ taints }: Pick<Node, 'taints'>): boolean => taints.some(isRemovalTaint);

/** The node as it is while it is being removed: the removal may be known before its taint is seen. */
export function asBeingRemoved(node: Node): Node {
  if (isBeingRemoved(node)) {
    return node;
  }
  return { ...node, taints: [...node.taints, { key: TO_BE_DELETED_TAINT, value: '', effect: 'NoSchedule' }] };
}

/** A taint that is older speaks of a removal that has come to nothing. Cluster Autoscaler's figure. */
const LONGEST_REMOVAL = minutes(5);

/**
 * Whether the node's taints say that its removal is under way. Cluster Autoscaler's taint has the time of its start; a
 * taint without a time holds until it is removed.
 */
export function isRemovalUnderWay({ taints }: Pick<Node, 'taints'>, now: EpochMs): boolean {
  return taints.some((taint) => {
    if (!isRemovalTaint(taint)) {
      return false;
    }
    const since = removalSince(taint);
    return since === null || now - since < LONGEST_REMOVAL;
  });
}

/**
 * Since when a node has been marked for removal, as the taint says; `null` where the taint has no time: only Cluster
 * Autoscaler's has one.
 */
export const removalSince = ({ key, value }: Taint): EpochMs | null =>
  key === TO_BE_DELETED_TAINT ? fromUnixSeconds(value) : null;

const fromUnixSeconds = (text: string): EpochMs | null =>
  /^\d{1,12}$/.test(text) ? epochMs(Number(text) * 1_000) : null;

/** Since when a node has been unneeded, in seconds since 1970: beside the shared soft taint, whose value has no time. */
export const UNNEEDED_SINCE_ANNOTATION = 'outrigger.dev/unneeded-since';

/** The value of a node's annotation beside this soft taint; `null` beside a taint that contains the time itself. */
export const unneededSinceBeside = ({ key }: Taint, since: EpochMs): string | null =>
  key === DISRUPTION_TAINT ? unixSeconds(since) : null;

/**
 * Since when a node has been unneeded, as its soft taint says, or the annotation beside the shared one; `null` where
 * the node has no such taint, or no time is stored.
 */
export function candidateSince({ taints, annotations }: Pick<Node, 'taints' | 'annotations'>): EpochMs | null {
  const taint = taints.find(isCandidateTaint);
  if (taint === undefined) {
    return null;
  }
  const own = taints.find(({ key }) => key === DELETION_CANDIDATE_TAINT);
  return fromUnixSeconds(own?.value ?? annotations[UNNEEDED_SINCE_ANNOTATION] ?? '');
}
