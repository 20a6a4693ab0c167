import { longestDrain } from '../drain/limits.ts';
import { unboundPods } from '../model/cluster/unbound-pods.ts';
import { removalSince } from '../model/cluster/removal-taints.ts';
import { awaitingPodsTooLong } from '../placement/nodes-awaiting-pods.ts';
import type { Decision, PodOutcomeKind } from '../model/decision.ts';
import { hasEnded, type StoredDrain } from '../model/drain.ts';
import { hasNoEnd, type Pause } from '../model/pause.ts';
import type { Scenario } from '../model/scenario.ts';
import type { State } from '../model/state.ts';
import type { HealthProblem } from '../model/health-problem.ts';
import { byName, type PodKey, podKeys } from '../model/values/names.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { type EpochMs, epochMs, minutes } from '../model/values/time.ts';

/** A pod that a node group could hold has a node by then, but for the slowest of nodes. */
const PODS_WAIT = minutes(10);
/** By then the API server has notified of a pod that kube-scheduler has refused. */
const NOTIFIED_BY = minutes(5);
/** A pause that is meant to last longer is given an end. */
const LONG_PAUSE = minutes(24 * 60);
/** The time of a notification is stored no more often than this: each would be a write of its own. */
const STORED_EVERY = minutes(1);
/** A stored time may be so much older, and a host's clock a minute behind. */
const NOTIFICATION_SLACK = 2 * STORED_EVERY;

/** The outcomes of pods that a node group could hold, or an existing or upcoming node. */
const HOLDABLE: ReadonlySet<PodOutcomeKind> = new Set(['Triggered', 'Awaiting', 'Fits']);

/** The state with the time of the latest webhook notification, where that is new enough to be stored. */
export function withNotification(state: State, at: EpochMs | null): State {
  if (at === null || (state.lastNotification !== undefined && at - state.lastNotification < STORED_EVERY)) {
    return state;
  }
  return { ...state, lastNotification: at };
}

/**
 * The problems of the cluster as scale-up has seen it: one of each kind, and each tainted node.
 *
 * @param webhook whether the API server is to notify of pods without a node
 */
export function healthProblemsOf(
  scenario: Pick<Scenario, 'objects' | 'state' | 'options' | 'now'>,
  { scaleUp, registry, pauses, state: { pausedSince } }: Pick<Decision, 'scaleUp' | 'registry' | 'pauses' | 'state'>,
  drains: readonly StoredDrain[],
  webhook: boolean,
): readonly HealthProblem[] {
  const waiting = waitingSince(scenario, scaleUp);
  const long = waiting.filter(({ outcome, since }) => HOLDABLE.has(outcome) && scenario.now - since > PODS_WAIT);
  const [oldest] = long;
  const { lastNotification = 0 } = scenario.state;
  const unheard = waiting.find(
    ({ outcome, since }) =>
      outcome !== 'Ignored' && scenario.now - since > NOTIFIED_BY && lastNotification < since - NOTIFICATION_SLACK,
  );
  return presentItems<HealthProblem>([
    !registry.clusterHealthy && { kind: 'ClusterUnhealthy' },
    mapOptional(oldest, ({ since, pod }) => ({ kind: 'LongPendingPods', since, pod, pods: long.length })),
    webhook && mapOptional(unheard, ({ since, pod }) => ({ kind: 'WebhookSilent', since, pod })),
    ...taintedTooLong(scenario, drains),
    ...awaitingPodsTooLong(scenario.objects.nodes, scenario.options, scenario.now).map(
      ({ node: { name: node }, since }) => ({ kind: 'NodeAwaitingPods', since, node }) as const,
    ),
    longPause(pauses, pausedSince, scenario.now),
  ]);
}

function longPause(pauses: readonly Pause[] = [], since: EpochMs | undefined, now: EpochMs): HealthProblem | undefined {
  if (since === undefined || now - since <= LONG_PAUSE) {
    return undefined;
  }
  return mapOptional(pauses.find(hasNoEnd), (pause) => ({ kind: 'LongPause', since, pause }));
}

interface PodWithWait {
  readonly pod: PodKey;
  readonly outcome: PodOutcomeKind;
  readonly since: EpochMs;
}

/** The pods of a decision with the time since which kube-scheduler finds no node for them, the longest first. */
function waitingSince({ objects }: Pick<Scenario, 'objects'>, { pods }: Decision['scaleUp']): readonly PodWithWait[] {
  if (pods.length === 0) {
    return [];
  }
  const outcomes = new Map(pods.map(({ pod, outcome }) => [pod, outcome]));
  const keyOf = podKeys();
  const waiting: PodWithWait[] = [];
  for (const { namespace, name, unscheduled, createdAt } of unboundPods(objects.pods)) {
    const since = unscheduled?.since ?? createdAt;
    const pod = keyOf(namespace, name);
    const outcome = outcomes.get(pod);
    if (since !== null && outcome !== undefined) {
      waiting.push({ pod, outcome, since });
    }
  }
  return waiting.sort((a, b) => a.since - b.since || byName(a.pod, b.pod));
}

/** Nodes whose taint, or whose drain, is older than a drain may be. */
function taintedTooLong(
  { objects, options, now }: Pick<Scenario, 'objects' | 'options' | 'now'>,
  drains: readonly StoredDrain[],
): readonly HealthProblem[] {
  const begun = new Map(
    drains.filter(({ drain }) => !hasEnded(drain)).map(({ drain }) => [drain.node, drain.createdAt]),
  );
  const longest = longestDrain(options);
  return objects.nodes
    .map(({ name: node, taints }) => {
      const times = presentItems([begun.get(node), ...taints.map(removalSince)]);
      return { kind: 'NodeTainted', since: epochMs(Math.min(...times)), node } as const;
    })
    .filter(({ since }) => now - since > longest);
}
