import type { Drain, DrainOutcome, Eviction } from '../model/drain.ts';
import type { ClusterEvent } from '../model/cluster/cluster-event.ts';
import { EVENT_MESSAGES } from '../words/event-messages.ts';
import type { DrainEffect } from './effects.ts';

/** Reasons of events are Cluster Autoscaler's. */
const REASON = 'ScaleDown';
const FAILED_REASON = 'ScaleDownFailed';

const record = (event: ClusterEvent): DrainEffect => ({ kind: 'recordEvent', event });

const aboutNode = ({ node, nodeUid }: Drain): ClusterEvent['about'] => ({ kind: 'Node', name: node, uid: nodeUid });

const aboutPod = ({ manifest: { namespace, name, uid } }: Eviction): ClusterEvent['about'] => ({
  kind: 'Pod',
  namespace,
  name,
  uid,
});

export const taintedEvent = (drain: Drain): DrainEffect =>
  record({
    about: aboutNode(drain),
    type: 'Normal',
    reason: REASON,
    message: EVENT_MESSAGES.tainted(drain.notice?.kind ?? null),
  });

export const removedEvent = (drain: Drain): DrainEffect =>
  record({
    about: aboutNode(drain),
    type: 'Normal',
    reason: REASON,
    message: EVENT_MESSAGES.removed(drain.notice?.kind ?? null),
  });

export const rollingBackEvent = (
  drain: Drain,
  { failure, message, pod }: Extract<DrainOutcome, { readonly kind: 'rolledBack' }>,
): DrainEffect =>
  record({
    about: aboutNode(drain),
    type: 'Warning',
    reason: FAILED_REASON,
    message: EVENT_MESSAGES.failed(drain.kind, failure, pod, message),
  });

export const evictedEvent = (eviction: Eviction): DrainEffect =>
  record({ about: aboutPod(eviction), type: 'Normal', reason: REASON, message: EVENT_MESSAGES.evicted() });

export const notEvictedEvent = (eviction: Eviction): DrainEffect =>
  record({
    about: aboutPod(eviction),
    type: 'Warning',
    reason: FAILED_REASON,
    message: EVENT_MESSAGES.notEvicted(eviction.refusal),
  });
