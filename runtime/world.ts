import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { DurationMs } from '@outrigger/core/model/values/time.ts';
import type { DecisionHistory } from '@outrigger/core/ports/decision-history.ts';
import type { NoticeInbox } from '@outrigger/core/ports/notice-inbox.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import { dueMessage, readyNodeMessage, tickMessage, wakeMessage } from '@outrigger/core/wakeups/message.ts';
import type { Log, Metrics } from '@outrigger/core/ports/observability.ts';
import type { Cluster, Ingress, CommonServices, World } from '../functions/shared/world.ts';
import type { WakeUpQueue } from './queue.ts';

/** The needs of every function, including those of the webhook. */
export type FunctionWorld = World & Ingress;

/** The outside world of one cluster, behind its ports. */
export interface WorldPorts extends Pick<CommonServices, 'now' | 'sleep'> {
  readonly cluster: Cluster;
  readonly store: StateStore;
  readonly inbox: NoticeInbox;
  readonly drains: DrainStore;
  readonly history: DecisionHistory;
  readonly queue: WakeUpQueue;
  readonly startDrains: World['startDrains'];
  readonly continueDrains: World['continueDrains'];
  readonly startScaleDown: World['startScaleDown'];
  /** SHA-256 of the valid tokens of webhook calls, in hexadecimal. */
  readonly tokenHashes: readonly string[];
  readonly dryRun: boolean;
  readonly webhook: boolean;
  readonly tickInterval: DurationMs;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly onStanding?: World['onStanding'];
}

/** Metrics that are not recorded. */
export const NO_METRICS: Metrics = { count: () => {}, milliseconds: () => {} };

/** The world of the functions of one cluster, from its ports. Without I/O, so it may be made for each invocation. */
export function createWorld({ cluster, queue, now, ...ports }: WorldPorts): FunctionWorld {
  const isKnown = (name: ClusterName): boolean => name === cluster.name;
  return {
    ...ports,
    now,
    cluster: (name) => (isKnown(name) ? cluster : null),
    knows: isKnown,
    raiseAlarm: () => ports.metrics.count('NeedsCorrection', 1),
    wake: (name, attempt) => queue.send('a wake-up', () => wakeMessage(name, now(), attempt)),
    wakeForReadyNode: (name) => queue.send('a ready node', () => readyNodeMessage(name, now())),
    wakeAtOnce: (name) => queue.send('an urgent wake-up', () => tickMessage(name, now())),
    wakeAt: (name, due, attempt) => queue.send('a wake-up for later', () => dueMessage(name, now(), due, attempt)),
    // The timer of the process fires at any interval.
    tickUntilNext: () => Promise.resolve(),
    redeliverAfter: queue.redeliverAfter,
  };
}
