import type { PodOutcome, ScaleUpResult } from '../model/decision.ts';
import { keyOf, type Pod } from '../model/pod.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { Demand } from '../packing/demand.ts';
import type { Wait } from './pods/pending.ts';
import type { Plan } from './planning/plan.ts';

/** Why no group is even looked at. */
export interface Refusal {
  readonly result: Extract<ScaleUpResult, 'ClusterUnhealthy' | 'NotTried' | 'Limited' | 'Cooldown'>;
  /** In words. */
  readonly reason: string;
}

/** A pod that no node has. */
export interface Pending {
  readonly pod: Pod;
  readonly wait: Wait;
  /** `null` for a pod that does not want a node now. */
  readonly kind: PodKind | null;
}

type Outcome = Omit<PodOutcome, 'pod'>;

/** What becomes of so many pods of a kind, after those of the runs before. */
interface Run {
  readonly outcome: Outcome;
  count: number;
}

const FITS: Outcome = { outcome: 'Fits' };

/**
 * A row for each pending pod. Of a kind the first ones by name are served first, so that their outcomes are a few runs,
 * whatever their number.
 *
 * @param pending in the order of their names.
 * @param demands what wants a node.
 * @param left what of that found no place without new nodes.
 * @param refusal `null` when there is a plan for these.
 */
export function outcomesOf(
  pending: readonly Pending[],
  demands: readonly Demand[],
  left: readonly Demand[],
  plan: Plan,
  refusal: Refusal | null,
): readonly PodOutcome[] {
  const runs = new Map<PodKind, Run[]>(
    demands.map(({ kind, pods }) => [kind, [{ outcome: FITS, count: pods.length }]]),
  );
  const add = (kind: PodKind, count: number, outcome: Outcome): unknown => runs.get(kind)!.push({ outcome, count });
  for (const { kind, pods } of left) {
    runs.get(kind)![0]!.count -= pods.length;
  }
  if (refusal === null) {
    for (const { kind, count, group } of plan.placements) {
      add(kind, count, { outcome: 'Triggered', group });
    }
    for (const { kind, pods, awaiting, reasons } of plan.left) {
      add(kind, pods.length, { outcome: awaiting ? 'Awaiting' : 'Unschedulable', reasons });
    }
  } else {
    const outcome = refusal.result === 'Cooldown' ? 'Awaiting' : 'Unschedulable';
    for (const { kind, pods } of left) {
      add(kind, pods.length, { outcome, reasons: [{ reason: refusal.reason }] });
    }
  }
  const next = new Map([...runs].map(([kind, ofKind]) => [kind, inTurn(ofKind)]));
  return pending.map(({ pod, wait, kind }): PodOutcome => {
    const key = keyOf(pod);
    if (wait.kind === 'ignored') {
      return { pod: key, outcome: 'Ignored', reasons: [wait.reason] };
    }
    const { outcome, group, reasons } = kind === null ? FITS : next.get(kind)!();
    if (group !== undefined) {
      return { pod: key, outcome, group };
    }
    return reasons === undefined ? { pod: key, outcome } : { pod: key, outcome, reasons };
  });
}

/** One after another, each as often as its count says. */
function inTurn(runs: readonly Run[]): () => Outcome {
  let run = 0;
  let used = 0;
  return () => {
    while (used === runs[run]!.count) {
      run += 1;
      used = 0;
    }
    used += 1;
    return runs[run]!.outcome;
  };
}
