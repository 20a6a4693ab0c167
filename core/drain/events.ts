import type { Drain, DrainOutcome, Eviction } from '../model/drain.ts';
import type { ClusterEvent } from '../model/cluster/cluster-event.ts';
import { EVENT_MESSAGES } from '../words/event-messages.ts';
import type { DrainEffect } from './effects.ts';

/** An event of a drain as it is meant to go. Reasons of events are Cluster Autoscaler's. */
const normal = (about: ClusterEvent['about'], message: string): DrainEffect => ({
  kind: 'recordEvent',
  event: { about, type: 'Normal', reason: 'ScaleDown', message },
});

const warning = (about: ClusterEvent['about'], message: string): DrainEffect => ({
  kind: 'recordEvent',
  event: { about, type: 'Warning', reason: 'ScaleDownFailed', message },
});

const aboutNode = ({ node, nodeUid }: Drain): ClusterEvent['about'] => ({ kind: 'Node', name: node, uid: nodeUid });

const aboutPod = ({ manifest: { namespace, name, uid } }: Eviction): ClusterEvent['about'] => ({
  kind: 'Pod',
  namespace,
  name,
  uid,
});

export const taintedEvent = (drain: Drain): DrainEffect =>
  normal(aboutNode(drain), EVENT_MESSAGES.tainted(drain.notice?.kind ?? null));

export const removedEvent = (drain: Drain): DrainEffect =>
  normal(aboutNode(drain), EVENT_MESSAGES.removed(drain.notice?.kind ?? null));

export const rollingBackEvent = (
  drain: Drain,
  { failure, message, pod }: Extract<DrainOutcome, { readonly kind: 'rolledBack' }>,
): DrainEffect => warning(aboutNode(drain), EVENT_MESSAGES.failed(drain.kind, failure, pod, message));

export const evictedEvent = (eviction: Eviction): DrainEffect => normal(aboutPod(eviction), EVENT_MESSAGES.evicted());

export const notEvictedEvent = (eviction: Eviction): DrainEffect =>
  warning(aboutPod(eviction), EVENT_MESSAGES.notEvicted(eviction.refusal));
