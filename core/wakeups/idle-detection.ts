import type { Decision, Evaluation, UnremovableReason } from '../model/decision.ts';
import type { StoredDrain } from '../model/drain.ts';
import type { PersistedCluster } from '../model/intent.ts';
import type { Scenario } from '../model/scenario.ts';
import { isHeld } from '../model/cluster/node-condition.ts';
import { isRemovalTaint } from '../model/cluster/removal-taints.ts';
import { canonical } from '../model/snapshot/pod-kind.ts';
import type { State } from '../model/state.ts';
import { changesWithin } from '../headroom/scheduled-minimums.ts';
import { addTime, epochMs, type EpochMs } from '../model/values/time.ts';
import type { GroupSummary, ObjectsSummary } from '../model/cluster-summary.ts';

/** The cheap view of a cluster, before its objects are read. */
export interface ClusterSummary {
  readonly objects: ObjectsSummary;
  /** None for scale-down, which does not go by them. */
  readonly groups: readonly GroupSummary[];
}

/** The stored parts of a cluster that its rest depends on. */
export interface StoredForIdleCheck extends Pick<PersistedCluster, 'state' | 'intents'> {
  readonly drains: readonly StoredDrain[];
}

/**
 * A cluster in which the last full evaluation found nothing to do: the next one may be left out as long as a change check
 * shows the same (docs/decisions/0023-an-idle-cluster.md). Kept in memory: a new version, other options and a lost
 * sandbox begin with a full evaluation.
 */
export interface IdleRecord {
  readonly since: EpochMs;
  /** From then on the next scan is a full evaluation, whatever a change check shows. */
  readonly until: EpochMs;
  readonly seen: string;
}

/** A scan of an evaluation. */
interface Scan {
  readonly evaluation: Evaluation;
  /** When the evaluation began. */
  readonly startedAt: EpochMs;
  /** From before the evaluation: a change while it reads is seen by the next change check. */
  readonly summary: ClusterSummary | null;
  readonly stored: StoredForIdleCheck;
}

/** The kind of evaluation for a scan. */
type ScanVerdict =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'evaluate';
      readonly because:
        /** Something was to be done at the last full evaluation, or there was none. */
        | 'NotIdle'
        /** A change check was not to be had. */
        | 'NotSeen'
        | 'PodsPending'
        /** Intents or drains are under way. */
        | 'UnderWay'
        | 'Changed'
        | 'Due';
    };

/**
 * Judges whether a scan needs a full evaluation. A pod that may want a node is one for scale-up at once: reaction to
 * load never waits for a full look that is due later.
 */
export function detectIdle(
  rest: IdleRecord | null,
  { evaluation, startedAt: now, summary, stored }: Scan,
): ScanVerdict {
  const evaluate = (because: Extract<ScanVerdict, { kind: 'evaluate' }>['because']): ScanVerdict => ({
    kind: 'evaluate',
    because,
  });
  if (rest === null) {
    return evaluate('NotIdle');
  }
  if (summary === null) {
    return evaluate('NotSeen');
  }
  if (evaluation === 'ScaleUp' && summary.objects.waiting) {
    return evaluate('PodsPending');
  }
  if (isUnderWay(stored)) {
    return evaluate('UnderWay');
  }
  // A clock that was set back would make the rest longer.
  if (now >= rest.until || now < rest.since) {
    return evaluate('Due');
  }
  return fingerprint(evaluation, summary, stored.state) === rest.seen ? { kind: 'idle' } : evaluate('Changed');
}

/** A full evaluation that a scan has caused. */
export interface EvaluationSummary extends Scan {
  readonly scenario: Scenario;
  readonly decision: Decision;
  /** Nodes have soft taints or markers that are to be changed. */
  readonly cleansNodes: boolean;
}

/**
 * The rest that follows a full evaluation; `null` where there was something to do, or time alone may bring it. The groups
 * are remembered as the evaluation saw them: descriptions lag, and a change check may have shown newer ones.
 */
export function idleRecordAfter(look: EvaluationSummary): IdleRecord | null {
  const { evaluation, startedAt, summary, stored, scenario, decision } = look;
  const { idleEvaluationInterval: interval } = scenario.options;
  const isQuiet = evaluation === 'ScaleUp' ? isScaleUpQuiet : isScaleDownQuiet;
  const scheduled = changesWithin(scenario, interval, evaluation);
  if (summary === null || interval === 0 || scheduled || isUnderWay(stored) || !isQuiet(look)) {
    return null;
  }
  // A node that could not be removed is tried again after its time, as without rest.
  const retries = evaluation === 'ScaleDown' ? Object.values(decision.state.unremovableUntil) : [];
  return {
    since: startedAt,
    until: epochMs(Math.min(addTime(startedAt, interval), ...retries)),
    seen: fingerprint(evaluation, { ...summary, groups: scenario.nodeGroups }, decision.state),
  };
}

/**
 * The content with which the next change check is compared: for scale-up all inputs without pending pods, except the nodes'
 * properties; for scale-down the existing pods and nodes, as no group makes a node unneeded. The times of evaluations
 * are no content of the state.
 */
function fingerprint(evaluation: Evaluation, { objects, groups }: ClusterSummary, state: State): string {
  const { waiting, nodes, pods } = objects;
  const content = evaluation === 'ScaleUp' ? { nodes, groups: groups.map(sizeAndInstances) } : { waiting, nodes, pods };
  return canonical({ ...content, state: { ...state, lastEvaluation: null, lastScaleUpEvaluation: null } });
}

const sizeAndInstances = ({ name, minSize, maxSize, targetSize, options, instances }: GroupSummary) => [
  [name, minSize, maxSize, targetSize, options],
  ...instances.map(({ id, state: phase }) => [id, phase]),
];

/** Ended drains count, too: some evaluation has to take them over. */
const isUnderWay = ({ intents, drains }: StoredForIdleCheck): boolean => intents.length > 0 || drains.length > 0;

/** Parts of the state that are empty while no node is awaited, no group has failed and no pod was evicted lately. */
const SCALE_UP_REMEMBERS = [
  'unregisteredSince',
  'backoff',
  'scaleUpRequests',
  'reservations',
  'reservedPacking',
  'incorrectSize',
  'seenErrors',
  'shortages',
  'repairBackoff',
  'deletionsInProgress',
  'disruptions',
  'recentEvictions',
] as const satisfies readonly (keyof State)[];

/** Parts of the state that are empty while no node is unneeded, none is being removed and no pod was evicted lately. */
const SCALE_DOWN_REMEMBERS = [
  'unneededSince',
  'deletionsInProgress',
  'scaleDownRequests',
  'disruptions',
  'recentEvictions',
] as const satisfies readonly (keyof State)[];

const areEmpty = (state: State, parts: readonly (keyof State)[]): boolean =>
  parts.every((part) => Object.keys((state[part] ?? {}) as object).length === 0);

function isScaleUpQuiet({ scenario, decision }: EvaluationSummary): boolean {
  const { scaleUp, registry, state, unexpectedErrors = [] } = decision;
  return (
    unexpectedErrors.length === 0 &&
    scaleUp.increases.length === 0 &&
    // Time alone ends what is held, and brings the next look for room.
    scaleUp.provisioningRequests === undefined &&
    registry.repairs.length === 0 &&
    // Repairs wait for an unhealthy cluster, and its nodes become ready without a sign.
    registry.clusterHealthy &&
    // The alarm about a pause that lasts would end with each rest.
    state.pausedSince === undefined &&
    areEmpty(state, SCALE_UP_REMEMBERS) &&
    // Another autoscaler is at work, or has left nodes that are freed after a while; or nodes are released when they are ready.
    !scenario.objects.nodes.some((node) => isHeld(node) || node.taints.some(isRemovalTaint))
  );
}

/** Reasons for which a node stays that may end with the next evaluation, whatever changes until then. */
const PASSING: ReadonlySet<UnremovableReason> = new Set([
  'NotUnneededLongEnough',
  'NotUnreadyLongEnough',
  'NotUnneededOtherReason',
  'CurrentlyBeingDeleted',
  'ReplacementPending',
  'UnexpectedError',
]);

function isScaleDownQuiet({ scenario, decision, cleansNodes }: EvaluationSummary): boolean {
  const { scaleDown, state, unexpectedErrors = [] } = decision;
  return (
    unexpectedErrors.length === 0 &&
    (scaleDown.result === 'Nothing' || scaleDown.result === 'Disabled') &&
    scaleDown.awaitsScaleUp !== true &&
    scaleDown.unneeded.length === 0 &&
    !scaleDown.unremovable.some(({ reason }) => PASSING.has(reason)) &&
    areEmpty(state, SCALE_DOWN_REMEMBERS) &&
    !scenario.objects.nodes.some(isHeld) &&
    !cleansNodes
  );
}
