import { firstItem, getExisting, itemAt } from '../../model/values/existing.ts';
import type { PodOutcome } from '../../model/decision.ts';
import { podKeys } from '../../model/values/names.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Demand } from '../../estimator/demand.ts';
import type { Plan } from '../orchestrator/plan-scale-up.ts';
import type { PodsWithoutNode } from './pending.ts';
import type { Refusal } from './refusal.ts';

type Outcome = Omit<PodOutcome, 'pod'>;

interface FittedDemands {
  /** The pods that want a node. */
  readonly demands: readonly Demand[];
  /** The pods among them that found no place without new nodes. */
  readonly left: readonly Demand[];
}

/** The outcome of a number of pods of a kind, after the pods of earlier runs. */
interface Run {
  readonly outcome: Outcome;
  count: number;
}

const FITS: Outcome = { outcome: 'Fits' };

/**
 * A row for each pending pod. Of a kind the first ones by name are served first, so that their outcomes are a few runs,
 * whatever their number.
 *
 * @param refusal `null` when there is a plan for these.
 */
export function outcomesOf(
  { pods, kinds, ignored }: PodsWithoutNode,
  { demands, left }: FittedDemands,
  plan: Pick<Plan, 'placements' | 'left'>,
  refusal: Refusal | null,
): readonly PodOutcome[] {
  const runs = new Map<PodKind, Run[]>(
    demands.map((demand) => [demand.kind, [{ outcome: FITS, count: demand.pods.length }]]),
  );
  const add = (kind: PodKind, count: number, outcome: Outcome): unknown =>
    getExisting(runs, kind).push({ outcome, count });
  for (const { kind, pods: without } of left) {
    firstItem(getExisting(runs, kind)).count -= without.length;
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
  return rowsOf(pods, kinds, ignored, runs);
}

/** A plain loop over numbered kinds, since there may be very many pods. */
function rowsOf(
  pods: PodsWithoutNode['pods'],
  kinds: PodsWithoutNode['kinds'],
  ignored: PodsWithoutNode['ignored'],
  runs: ReadonlyMap<PodKind, Run[]>,
): readonly PodOutcome[] {
  const next: Run[][] = [];
  for (const [{ id }, ofKind] of runs) {
    // The next one is taken from the end.
    next[id] = ofKind.reverse();
  }
  const keyOf = podKeys();
  const rows: PodOutcome[] = [];
  for (let i = 0; i < pods.length; i++) {
    const pod = itemAt(pods, i);
    const kind = itemAt(kinds, i);
    const key = keyOf(pod.namespace, pod.name);
    const reason = kind === null ? ignored.get(pod) : undefined;
    if (reason !== undefined) {
      rows.push({ pod: key, outcome: 'Ignored', reasons: [reason] });
      continue;
    }
    const { outcome, group, reasons } = kind === null ? FITS : take(itemAt(next, kind.id));
    if (group !== undefined) {
      rows.push({ pod: key, outcome, group });
      continue;
    }
    rows.push(reasons === undefined ? { pod: key, outcome } : { pod: key, outcome, reasons });
  }
  return rows;
}

/** The outcome of the next pod. @param runs the next one last. */
function take(runs: Run[]): Outcome {
  let run = itemAt(runs, runs.length - 1);
  while (run.count === 0) {
    runs.pop();
    run = itemAt(runs, runs.length - 1);
  }
  run.count -= 1;
  return run.outcome;
}
