import { type Drain, type DrainOutcome, type DrainPhase, hasEnded } from '../model/drain.ts';
import { byName, type GroupName, type NodeName, type PodKey } from '../model/values/names.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import type { EpochMs } from '../model/values/time.ts';
import { DRAIN_PHASES } from '../words/drain.ts';
import type { ClusterRecord } from './cluster-record.ts';

/** A node on its way out, or how that has ended. */
export interface DrainExplanation {
  readonly node: NodeName;
  readonly group: GroupName;
  readonly kind: Drain['kind'];
  readonly phase: DrainPhase;
  /** The work of the phase, in words. */
  readonly doing: string;
  readonly since: EpochMs;
  readonly phaseSince: EpochMs;
  /** The reason that blocks the drain, in words; `null` where it only waits for time to pass. */
  readonly waitsFor: string | null;
  /** Numbers of pods that were evicted, and of pods that are gone. */
  readonly pods: { readonly asked: number; readonly gone: number };
  /** Pods whose last eviction was refused, with the words of the API server; but for the pod of the outcome. */
  readonly refused: readonly { readonly pod: PodKey; readonly refusal: string }[];
  readonly outcome: DrainOutcome | null;
}

const drainExplanation = ({ outcome, ...drain }: Drain): DrainExplanation => ({
  node: drain.node,
  group: drain.group,
  kind: drain.kind,
  phase: drain.phase,
  doing: DRAIN_PHASES[drain.phase].short,
  since: drain.createdAt,
  phaseSince: drain.phaseSince,
  waitsFor: drain.waitingFor,
  pods: { asked: drain.evictions.length, gone: drain.evictions.filter(({ goneAt }) => goneAt !== null).length },
  refused: presentItems(
    drain.evictions
      .filter(({ pod, evictedAt }) => evictedAt === null && !(outcome?.kind === 'rolledBack' && outcome.pod === pod))
      .map(({ pod, refusal }) => mapOptional(refusal, (text) => ({ pod, refusal: text }))),
  ),
  outcome,
});

/** Drains under way, by node. */
export const drainsUnderWay = ({ drains }: Pick<ClusterRecord, 'drains'>): readonly DrainExplanation[] =>
  drains
    .filter(({ drain }) => !hasEnded(drain))
    .toSorted((a, b) => byName(a.drain.node, b.drain.node))
    .map(({ drain }) => drainExplanation(drain));

/** The latest of a node; `null` where none is stored. One that has ended is forgotten ten minutes later. */
export function latestDrain({ drains }: ClusterRecord, node: NodeName): DrainExplanation | null {
  const [latest] = drains
    .filter(({ drain }) => drain.node === node)
    .toSorted((a, b) => b.drain.createdAt - a.drain.createdAt);
  return mapOptional(latest, ({ drain }) => drainExplanation(drain)) ?? null;
}
