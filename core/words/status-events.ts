import type { ClusterEvent, EventReason } from '../model/cluster/cluster-event.ts';
import type { Decision } from '../model/decision.ts';
import type { Backoff } from '../model/state.ts';
import type { Intent, IntentStatus } from '../model/intent.ts';
import type { Scenario } from '../model/scenario.ts';
import { groupOption, type NodeGroup } from '../model/node-group.ts';
import { presentItems } from '../model/values/optional.ts';
import { valueOf } from '../model/values/records.ts';
import { EVENT_MESSAGES, growthOf } from './event-messages.ts';
import { pauseText } from './pause.ts';

const event = (type: ClusterEvent['type'], reason: EventReason, message: string, occurrence: string): ClusterEvent => ({
  about: { kind: 'Status' },
  type,
  reason,
  message,
  occurrence,
});

/** The events of a decision that are about no pod and no node: those that Cluster Autoscaler records on its status. */
export function statusEvents(scenario: Scenario, decision: Decision, version: number): readonly ClusterEvent[] {
  const { scaleUp, scaleDown, registry, pauses = [] } = decision;
  const { maxNodesTotal } = scenario.options;
  return presentItems([
    !registry.clusterHealthy && event('Warning', 'ClusterUnhealthy', EVENT_MESSAGES.unhealthy(), ''),
    ...pauses.map(pauseText).map((text) => event('Normal', 'Paused', text, text)),
    scaleUp.result === 'Limited' &&
      event('Warning', 'MaxNodesTotalReached', EVENT_MESSAGES.maxNodesTotal(maxNodesTotal), String(maxNodesTotal)),
    ...scaleUp.skippedGroups
      .filter(({ reason }) => reason === 'MaxCostPerHourReached')
      .map(({ group, message = '' }) =>
        event('Warning', 'MaxCostPerHourReached', EVENT_MESSAGES.maxCostPerHour(group, message), `${group} ${message}`),
      ),
    ...scenario.nodeGroups.map((group) => failureOf(group, scenario, decision)),
    ...growthOf(scenario, scaleUp).map((growth) =>
      event('Normal', 'ScaledUpGroup', EVENT_MESSAGES.growing(growth), `${version} ${growth.group}`),
    ),
    ...scaleDown.removals.map((removal) =>
      removal.kind === 'empty'
        ? event('Normal', 'ScaleDownEmpty', EVENT_MESSAGES.removingEmpty(removal), `${version} ${removal.node}`)
        : event('Normal', 'ScaleDown', EVENT_MESSAGES.removing(removal), `${version} ${removal.node}`),
    ),
  ]);
}

/** A failure that this evaluation has found: those of calls were in the state before, and have events of their own. */
function failureOf(group: NodeGroup, { state, options }: Scenario, decision: Decision): ClusterEvent | undefined {
  const { name } = group;
  const before: Backoff | undefined = valueOf(state.backoff, name);
  const after: Backoff | undefined = valueOf(decision.state.backoff, name);
  if (after === undefined || after.lastFailure === before?.lastFailure) {
    return undefined;
  }
  const reason = after.class === 'Timeout' ? 'ScaleUpTimedOut' : 'ScaleUpFailed';
  return event('Warning', reason, backoffMessage(group, after, options), `${after.lastFailure} ${name}`);
}

/** Why a node group is in backoff. */
export function backoffMessage(
  group: NodeGroup,
  { class: failure }: Pick<Backoff, 'class'>,
  options: Scenario['options'],
): string {
  if (failure === 'Timeout') {
    return EVENT_MESSAGES.timedOut(group.name, groupOption(options, group, 'maxNodeProvisionTime'));
  }
  return EVENT_MESSAGES.launchesFailed(group.name, failure);
}

/**
 * The events of a change to a node group that has been made, or has failed. One that was refused is decided on anew, and
 * drains have events of their own.
 */
export function intentEvents(intent: Intent, status: IntentStatus, message: string): readonly ClusterEvent[] {
  const { id, kind, group } = intent;
  if (status === 'pending' || status === 'refused' || kind === 'RemoveNodes') {
    return [];
  }
  const isDone = status === 'done';
  if (kind === 'DeleteInstances') {
    return [
      isDone
        ? event('Normal', 'DeleteUnregistered', EVENT_MESSAGES.deleted(intent.instances), id)
        : event('Warning', 'DeleteUnregisteredFailed', EVENT_MESSAGES.notDeleted(intent.instances, message), id),
    ];
  }
  if (intent.to <= intent.from) {
    return [];
  }
  return [
    isDone
      ? event('Normal', 'ScaledUpGroup', EVENT_MESSAGES.grown(intent), id)
      : event('Warning', 'FailedToScaleUpGroup', EVENT_MESSAGES.notGrown(group, message), id),
  ];
}

/** The events of the changes that an evaluation settles: the function that makes them has no access to the cluster. */
export const settledEvents = (intents: readonly Intent[], settled: readonly string[]): readonly ClusterEvent[] =>
  intents
    .filter(({ id }) => settled.includes(id))
    .flatMap((intent) => intentEvents(intent, intent.status, intent.outcome?.message ?? ''));
