import type { ClusterName } from '../../core/model/values/names.ts';
import type { Options } from '../../core/model/options.ts';
import type { ClusterReader, ClusterWriter } from '../../core/ports/cluster.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import type { ProviderName } from '../../core/model/scenario.ts';
import type { EpochMs } from '../../core/model/values/time.ts';

/** A cluster that this deployment manages, and what reads and changes it. */
export interface Cluster {
  readonly name: ClusterName;
  readonly provider: ProviderName;
  readonly options: Options;
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly groups: NodeGroups;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Structured lines: the message is one sentence, the fields are for queries. Never a token, never a whole event. */
export interface Log {
  readonly debug: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
}

/** Figures for dashboards and alarms. A count of zero is not published: what has no value is zero. */
export interface Metrics {
  readonly count: (name: string, value: number) => void;
  readonly milliseconds: (name: string, value: number) => void;
}

/** What every function has around it. */
export interface Surroundings {
  readonly now: () => EpochMs;
  /** Resolves after this time has passed in this world; rejects when the signal is aborted before. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Puts a wake-up into the queue: the cluster is to be evaluated, nothing more.
   *
   * @param attempt 0 (the default) for a webhook notification; n for the n-th recheck after one (core/wakeups).
   */
  readonly wake: (cluster: ClusterName, attempt?: number) => Promise<void>;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What the webhook needs: which knows clusters by name only. */
export interface Ingress extends Surroundings {
  /** Does this deployment manage a cluster of that name? */
  readonly knows: (name: ClusterName) => boolean;
  /** The tokens that callers may show: one, or two while a token is being rotated. */
  readonly tokens: () => Promise<readonly string[]>;
}

/** The world that the functions act in: AWS, this process (`outrigger local`), or a simulation. */
export interface World extends Surroundings {
  readonly store: StateStore;
  readonly drains: DrainStore;
  /** `null` for a name of a cluster that this deployment does not manage. */
  readonly cluster: (name: ClusterName) => Cluster | null;
  /**
   * Starts a driver for drains that are in the store, and does not wait for it. One driver for several nodes is for
   * those that are empty.
   *
   * @param attempt the number of this driver: started twice with the same number it is one driver.
   */
  readonly startDrains: (cluster: ClusterName, ids: readonly string[], attempt: number) => Promise<void>;
  /** Has scale-down evaluate a cluster before its next tick, and does not wait for it. */
  readonly startScaleDown: (cluster: ClusterName) => Promise<void>;
  /** Decide and say, but change nothing. */
  readonly dryRun: boolean;
  /**
   * Puts a wake-up for a time within the next minute into the queue; many for the same second are one.
   *
   * @param attempt as for `wake`.
   */
  readonly wakeAt: (cluster: ClusterName, due: EpochMs, attempt?: number) => Promise<void>;
  /** Has the queue deliver a failed message again after this time, rather than after its visibility timeout. */
  readonly redeliverAfter: (receiptHandle: string, seconds: number) => Promise<void>;
}

/** A cluster by its name; `null`, with a line in the log, when this deployment does not manage it. */
export function managedCluster({ cluster, log }: Pick<World, 'cluster' | 'log'>, name: ClusterName): Cluster | null {
  const found = cluster(name);
  if (found === null) {
    log.error(`Cluster ${name}, which this deployment does not manage, is left alone`);
  }
  return found;
}

/** What the Lambda runtime adds to an event: `signal` is aborted shortly before the function is out of time. */
export interface Invocation {
  readonly signal: AbortSignal;
}

/** A function's work, apart from the runtime that calls it. */
export type Work<Event, Result> = (event: Event, invocation: Invocation) => Promise<Result>;
