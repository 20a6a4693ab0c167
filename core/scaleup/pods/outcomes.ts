import type { PodOutcome } from '../../model/decision.ts';
import { podKeys } from '../../model/values/names.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { Pending } from './pending.ts';
import type { Refusal } from './refusal.ts';
import type { Plan } from '../orchestrator/salvo.ts';

type Outcome = Omit<PodOutcome, 'pod'>;

/** What becomes of a number of pods of a kind, after those of the runs before. */
interface Run {
  readonly outcome: Outcome;
  count: number;
}

const FITS: Outcome = { outcome: 'Fits' };

/**
 * A row for each pending pod. Of a kind the first ones by name are served first, so that their outcomes are a few runs,
 * whatever their number.
 *
 * @param demands what wants a node.
 * @param left what of that found no place without new nodes.
 * @param refusal `null` when there is a plan for these.
 */
export function outcomesOf(
  { pods, kinds, ignored }: Pending,
  demands: readonly Demand[],
  left: readonly Demand[],
  plan: Plan,
  refusal: Refusal | null,
): readonly PodOutcome[] {
  const runs = new Map<PodKind, Run[]>(
    demands.map((demand) => [demand.kind, [{ outcome: FITS, count: demand.pods.length }]]),
  );
  const add = (kind: PodKind, count: number, outcome: Outcome): unknown => runs.get(kind)!.push({ outcome, count });
  for (const { kind, pods: without } of left) {
    runs.get(kind)![0]!.count -= without.length;
  }
  if (refusal === null) {
    for (const { kind, count, group } of plan.placements) {
      add(kind, count, { outcome: 'Triggered', group });
    }
    for (const { kind, pods: without, awaiting, reasons } of plan.left) {
      add(kind, without.length, { outcome: awaiting ? 'Awaiting' : 'Unschedulable', reasons });
    }
  } else {
    const outcome = refusal.result === 'Cooldown' ? 'Awaiting' : 'Unschedulable';
    for (const { kind, pods: without } of left) {
      add(kind, without.length, { outcome, reasons: [{ reason: refusal.reason }] });
    }
  }
  // By the kind's number, since there is a look-up for each pod.
  const next: (() => Outcome)[] = [];
  for (const [{ id }, ofKind] of runs) {
    next[id] = inTurn(ofKind);
  }
  const keyOf = podKeys();
  return pods.map((pod, i): PodOutcome => {
    const key = keyOf(pod.namespace, pod.name);
    const kind = kinds[i]!;
    const reason = kind === null ? ignored.get(pod) : undefined;
    if (reason !== undefined) {
      return { pod: key, outcome: 'Ignored', reasons: [reason] };
    }
    const { outcome, group, reasons } = kind === null ? FITS : next[kind.id]!();
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
