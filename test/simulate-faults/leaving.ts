import type { Decision } from '../../core/model/decision.ts';
import { withoutExpendable } from '../../core/model/cluster/expendable.ts';
import { CORDONED_FOR_NOTICE } from '../../core/notices/departures.ts';
import { mayCordon } from '../../core/notices/due.ts';
import { isDaemon, isFinished, type Pod } from '../../core/model/cluster/pod.ts';
import type { InstanceId, NodeName } from '../../core/model/values/names.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { isForARequest } from './truth.ts';
import type { Stage } from './invariants/invariant.ts';

/** Nodes that a decision takes to leave since the cloud ends their instances; `onlyAnnouncedLeave` checks that it does. */
export const leavingNodes = ({ departures = [] }: Decision): ReadonlySet<NodeName> =>
  new Set(departures.map(({ node }) => node));

/**
 * Nodes that stay until their pods have places elsewhere, since AWS recommends to rebalance: those of the oldest
 * recommendations, as many as may be drained beside the drains in progress.
 */
export function recommendedNodes(
  { notices = [] }: Decision,
  { options, state: { deletionsInProgress } }: Scenario,
  { announcements }: Pick<Stage, 'announcements'>,
): readonly NodeName[] {
  const drains = deletionsInProgress.filter(({ kind }) => kind === 'drain').length;
  return notices
    .filter(({ answer, instance }) => answer === 'Replace' && isRecommended(instance, announcements))
    .toSorted((a, b) => a.receivedAt - b.receivedAt)
    .flatMap(({ node }) => (node === null || deletionsInProgress.some((one) => one.node === node) ? [] : node))
    .slice(0, Math.max(0, options.maxDrainParallelism - drains));
}

/**
 * Nodes that are cordoned right after a decision that says so, since AWS recommends to rebalance: they take no more pods. One that
 * has been before, and is open again, stays as it is.
 */
export const cordonedNodes = (
  { notices = [] }: Pick<Decision, 'notices'>,
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
  { announcements }: Pick<Stage, 'announcements'>,
): readonly NodeName[] =>
  notices.flatMap(({ answer, instance, node, receivedAt }) => {
    const there = objects.nodes.find(({ name }) => name === node);
    const isCordoned =
      answer === 'Cordon' &&
      isRecommended(instance, announcements) &&
      mayCordon(receivedAt, now) &&
      there !== undefined &&
      !(CORDONED_FOR_NOTICE in there.annotations);
    return isCordoned ? there.name : [];
  });

const isRecommended = (instance: InstanceId, announcements: Stage['announcements']): boolean =>
  announcements.of(instance).some(({ what }) => what === 'RebalanceRecommendation');

/** What these nodes have that needs a new place. */
export const leavingPods = ({ objects: { pods }, options }: Scenario, nodes: ReadonlySet<NodeName>): readonly Pod[] =>
  withoutExpendable(pods, options).filter(
    (pod) =>
      pod.nodeName !== null &&
      nodes.has(pod.nodeName) &&
      pod.controller !== null &&
      !isDaemon(pod) &&
      !isFinished(pod) &&
      !isForARequest(pod, options),
  );
