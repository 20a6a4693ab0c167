import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { dueMessage, readyNodeMessage, scanMessage, wakeMessage } from '@outrigger/core/wakeups/message.ts';
import type { Metrics } from '@outrigger/core/ports/observability.ts';
import type { Executions } from '@outrigger/core/ports/executions.ts';
import type { WakeUps } from '@outrigger/core/ports/wake-ups.ts';
import type { Cluster, Ingress, Services } from '../functions/shared/services.ts';
import type { WakeUpQueue } from './queue.ts';

/** The needs of every function, including those of the webhook. */
export type FunctionServices = Services & Executions & Ingress;

/** The services of one cluster, behind their ports. */
export interface ServicePorts extends Omit<FunctionServices, 'cluster' | 'knows' | 'raiseAlarm' | keyof WakeUps> {
  readonly cluster: Cluster;
  readonly queue: WakeUpQueue;
}

/** Metrics that are not recorded. */
export const NO_METRICS: Metrics = { count: () => {}, milliseconds: () => {} };

/** The services of the functions of one cluster, from their ports. Without I/O, so it may be made for each invocation. */
export function createServices({ cluster, queue, now, ...ports }: ServicePorts): FunctionServices {
  const isKnown = (name: ClusterName): boolean => name === cluster.name;
  return {
    ...ports,
    now,
    cluster: (name) => (isKnown(name) ? cluster : null),
    knows: isKnown,
    raiseAlarm: () => ports.metrics.count('NeedsCorrection', 1),
    wake: (name, attempt) => queue.send('a wake-up', () => wakeMessage(name, now(), attempt)),
    wakeForReadyNode: (name) => queue.send('a ready node', () => readyNodeMessage(name, now())),
    wakeAtOnce: (name) => queue.send('an urgent wake-up', () => scanMessage(name, now())),
    wakeAt: (name, due, attempt) => queue.send('a wake-up for later', () => dueMessage(name, now(), due, attempt)),
    // The timer of the process fires at any interval.
    scanUntilNext: () => Promise.resolve(),
    redeliverAfter: queue.redeliverAfter,
  };
}
