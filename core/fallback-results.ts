import { readable } from './model/fault.ts';
import {
  type Decision,
  NO_NODES,
  type PodOutcome,
  type Repair,
  type ScaleDownDecision,
  type ScaleUpDecision,
  type UnexpectedError,
  type Unremovable,
} from './model/decision.ts';
import type { GroupName, NodeName } from './model/values/names.ts';
import type { Scenario } from './model/scenario.ts';
import { sortedBy, sortedRecord } from './model/values/sorted.ts';
import type { State } from './model/state.ts';
import type { Registry } from './registry/registry.ts';
import { isPending } from './model/pod-wait.ts';
import { subjectOf } from './words/unexpected-errors.ts';
import { nodeOf, type Quarantine } from './model/isolation/quarantine.ts';
import { keyOf, type Pod } from './model/cluster/pod.ts';

/** More are not reported one by one; the others are of the same sort, as a rule. */
const MOST_TOLD = 100;

/** Without the registry nothing is known of the groups: nothing is done, and nothing forgotten. */
export const failedRegistry = (scenario: Scenario, errors: readonly UnexpectedError[]): Decision => ({
  name: scenario.name,
  scaleUp: NO_SCALE_UP,
  scaleDown: NO_SCALE_DOWN,
  registry: { clusterHealthy: false, totals: NO_NODES, groups: {}, repairs: [] },
  state: scenario.state,
  unexpectedErrors: errors.slice(0, MOST_TOLD),
});

const NO_SCALE_UP: ScaleUpDecision = Object.freeze({
  result: 'UnexpectedError',
  increases: [],
  pods: [],
  upcoming: {},
  skippedGroups: [],
  considered: [],
  plan: null,
});

/** A scale-down that finds nothing, for the reason of the result. */
export const withoutRemovals = (result: ScaleDownDecision['result']): ScaleDownDecision => ({
  result,
  unneeded: [],
  removals: [],
  unremovable: [],
  message: null,
});

const NO_SCALE_DOWN = Object.freeze(withoutRemovals('UnexpectedError'));

export const scaleUpNotEvaluated: ScaleUpDecision = Object.freeze({ ...NO_SCALE_UP, result: 'NotEvaluated' });
export const scaleDownNotEvaluated = Object.freeze(withoutRemovals('NotEvaluated'));

/**
 * A scale-up that failed as a whole: every pending pod has the outcome of an unexpected error, and earlier reservations
 * stay.
 */
export const failedScaleUp = (
  { objects, options }: Scenario,
  { state }: Registry,
): { readonly scaleUp: ScaleUpDecision; readonly toMin: readonly Repair[]; readonly state: State } => ({
  scaleUp: {
    ...NO_SCALE_UP,
    pods: sortedBy(
      failedPods(
        objects.pods
          .filter((pod) => readable(() => isPending(pod, options), false))
          .map((pod) => [pod, 'scale-up failed']),
      ),
      ({ pod }) => pod,
    ),
  },
  toMin: [],
  state,
});

/** The outcomes of pods with their reasons. */
const failedPods = (pods: readonly (readonly [Pod, string])[]): readonly PodOutcome[] =>
  pods.map(([pod, reason]) => ({ pod: keyOf(pod), outcome: 'UnexpectedError', reasons: [{ reason }] }));

export const failedScaleDown = (state: State) => ({ scaleDown: NO_SCALE_DOWN, state, faults: [] });

/** Keeps the state of groups that the registry had to leave out. */
export function carriedOver(registry: Registry, { state }: Scenario, { groups }: Quarantine): Registry {
  if (groups.size === 0) {
    return registry;
  }
  const names = new Set([...groups.keys()].map(({ name }) => name));
  const kept = <T>(before: Readonly<Record<GroupName, T>>, after: Readonly<Record<GroupName, T>>) =>
    sortedRecord([
      ...(Object.entries(before) as [GroupName, T][]).filter(([name]) => names.has(name)),
      ...(Object.entries(after) as [GroupName, T][]).filter(([name]) => !names.has(name)),
    ]);
  return {
    ...registry,
    state: {
      ...registry.state,
      // The instances of these groups are unknown.
      unregisteredSince: { ...state.unregisteredSince, ...registry.state.unregisteredSince },
      backoff: kept(state.backoff, registry.state.backoff),
      incorrectSize: kept(state.incorrectSize, registry.state.incorrectSize),
      seenErrors: kept(state.seenErrors, registry.state.seenErrors),
      scaleUpRequests: sortedBy(
        [
          ...state.scaleUpRequests.filter(({ group }) => names.has(group)),
          ...registry.state.scaleUpRequests.filter(({ group }) => !names.has(group)),
        ],
        ({ group }) => group,
      ),
    },
  };
}

/** The decision with what was set aside: pods, nodes and groups say why nothing was decided about them. */
export function withQuarantine(
  decision: Decision,
  scenario: Scenario,
  asides: { readonly scaleUp: Quarantine; readonly scaleDown: Quarantine },
  errors: readonly UnexpectedError[],
): Decision {
  if (errors.length === 0) {
    return decision;
  }
  const { scaleUp, scaleDown, state } = decision;
  const groups = new Set([...asides.scaleUp.groups.keys()].map(({ name }) => name));
  return {
    ...decision,
    scaleUp: {
      ...scaleUp,
      pods: sortedBy([...scaleUp.pods, ...waitingIn(asides.scaleUp, scaleUp.pods, scenario)], ({ pod }) => pod),
      skippedGroups: scaleUp.skippedGroups.map((skipped) =>
        groups.has(skipped.group) && skipped.reason === 'Invalid' ? { ...skipped, reason: 'UnexpectedError' } : skipped,
      ),
    },
    scaleDown: { ...scaleDown, unremovable: withExcluded(scaleDown, asides.scaleDown, scenario) },
    state: { ...state, recentEvictions: scenario.state.recentEvictions },
    unexpectedErrors: sortedBy(errors, wordsOf).slice(0, MOST_TOLD),
  };
}

const wordsOf = ({ stack: _stack, ...error }: UnexpectedError): string =>
  `${error.during} ${subjectOf(error)} ${error.message}`;

/** The pending pods among the pods that are set aside. */
function waitingIn(
  { pods }: Quarantine,
  known: readonly PodOutcome[],
  { options, objects }: Scenario,
): readonly PodOutcome[] {
  const there = new Set(objects.pods);
  const reported = new Set(known.map(({ pod }) => pod));
  const waiting = [...pods].filter(
    ([pod]) => there.has(pod) && readable(() => isPending(pod, options), nodeOf(pod) === null),
  );
  return failedPods(waiting).filter(({ pod }) => !reported.has(pod));
}

function withExcluded(
  { unremovable }: ScaleDownDecision,
  { pods, nodes }: Quarantine,
  { objects }: Scenario,
): readonly Unremovable[] {
  const there = new Set(objects.pods);
  const excluded = new Map<NodeName, Unremovable>();
  for (const [pod, message] of sortedBy([...pods], ([of]) => keyOf(of))) {
    const node = nodeOf(pod);
    if (node !== null && there.has(pod) && !excluded.has(node)) {
      excluded.set(node, { node, reason: 'UnexpectedError', pod: keyOf(pod), message });
    }
  }
  for (const [{ name: node }, message] of nodes) {
    excluded.set(node, { node, reason: 'UnexpectedError', message });
  }
  const rows = unremovable.map((one) => (one.reason === 'Unreadable' ? (excluded.get(one.node) ?? one) : one));
  const reported = new Set(rows.map(({ node }) => node));
  return sortedBy([...rows, ...[...excluded.values()].filter(({ node }) => !reported.has(node))], ({ node }) => node);
}
