import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { DecisionHistory } from '@outrigger/core/ports/decision-history.ts';
import type { Executions } from '@outrigger/core/ports/executions.ts';
import type { Messages } from '@outrigger/core/ports/messages.ts';
import type { Log, Metrics } from '@outrigger/core/ports/observability.ts';
import type { WakeUps } from '@outrigger/core/ports/wake-ups.ts';
import type { ClusterReader, ClusterWriter } from '@outrigger/core/ports/cluster.ts';
import type { ExternalExpander } from '@outrigger/core/ports/external-expander.ts';
import type { NodeGroupChanges, NodeGroups } from '@outrigger/core/ports/node-groups.ts';
import type { NoticeInbox } from '@outrigger/core/ports/notice-inbox.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import type { Terminations } from '@outrigger/core/ports/terminations.ts';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import type { DurationMs, EpochMs } from '@outrigger/core/model/values/time.ts';

/** A cluster whose node groups can be changed. */
export interface ChangedCluster {
  readonly name: ClusterName;
  readonly options: Options;
  readonly groups: NodeGroupChanges;
}

/** A cluster whose nodes can be drained. */
export interface DrainedCluster extends ChangedCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  /** Absent where the cloud has no lifecycle hooks. */
  readonly terminations?: Terminations | undefined;
}

/** A cluster that this deployment manages, with the clients for reading and changing the cluster. */
export interface Cluster extends DrainedCluster {
  readonly provider: ProviderName;
  readonly groups: NodeGroups;
  /** Absent without the option `externalExpander`. */
  readonly expander?: ExternalExpander | undefined;
}

/** The surroundings of every function. */
export interface CommonServices extends Pick<WakeUps, 'wake'> {
  readonly now: () => EpochMs;
  /** Resolves after this time has passed by this clock; rejects when the signal is aborted before. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The needs of the webhook, which knows clusters by name only. */
export interface Ingress extends CommonServices, Pick<WakeUps, 'wakeForReadyNode'> {
  /** Does this deployment manage a cluster of that name? */
  readonly knows: (name: ClusterName) => boolean;
  /** SHA-256 of the tokens that callers may show, in hexadecimal: one, or two while a token is being rotated. */
  readonly tokenHashes: readonly string[];
  /** Raises the alarm about what a person has to correct. */
  readonly raiseAlarm: () => void;
}

/** The needs of evaluations: on AWS, in this process (`outrigger local`), or in a simulation. */
export interface Services extends CommonServices, WakeUps {
  readonly store: StateStore;
  readonly inbox: NoticeInbox;
  readonly drains: DrainStore;
  readonly history: DecisionHistory;
  /** Absent: no messages are sent. */
  readonly messages?: Messages | undefined;
  /** `null` for a name of a cluster that this deployment does not manage. */
  readonly cluster: (name: ClusterName) => Cluster | null;
  /** Decide and say, but change nothing. */
  readonly dryRun: boolean;
  /** Whether the API server is to notify of pods without a node; absent: not. */
  readonly webhook?: boolean;
  /** Time between evaluations that no event causes. */
  readonly scanInterval: DurationMs;
  /** Called with each committed decision: a decision that another commit came before is made anew. */
  readonly onStanding?: ((scenario: Scenario, decision: Decision) => void) | undefined;
}

/** The needs of actuation, which asks the API server for nothing. */
export interface ActuationServices
  extends CommonServices, Pick<Services, 'store' | 'drains' | 'dryRun' | 'wakeAt'>, Pick<Executions, 'startDrains'> {
  readonly cluster: (name: ClusterName) => ChangedCluster | null;
}

/** The needs of drains. */
export interface DrainServices
  extends
    CommonServices,
    Pick<Services, 'store' | 'drains' | 'dryRun'>,
    Pick<Executions, 'continueDrains' | 'startScaleDown'> {
  readonly cluster: (name: ClusterName) => DrainedCluster | null;
}

/** A cluster by its name; `null`, with a line in the log, when this deployment does not manage it. */
export function managedCluster<C>(
  { cluster, log }: Pick<Services, 'log'> & { readonly cluster: (name: ClusterName) => C | null },
  name: ClusterName,
): C | null {
  const found = cluster(name);
  if (found === null) {
    log.error(`Cluster ${name}, which this deployment does not manage, is left alone`);
  }
  return found;
}

/** The additions of the Lambda runtime to an event: `signal` is aborted shortly before the function is out of time. */
export interface Invocation {
  readonly signal: AbortSignal;
  /** Milliseconds until the function is out of time; absent where its time is not limited. */
  readonly remainingMs?: () => number;
}

/** The work of an invocation on one cluster. */
interface Run<OwnServices, Clients> {
  readonly services: OwnServices;
  readonly cluster: Clients;
  /** The signal of the invocation, or of a step of it. */
  readonly signal: AbortSignal;
}

export type ClusterRun<
  Service extends keyof Services = keyof Services,
  Clients extends keyof Cluster = keyof Cluster,
> = Run<Pick<Services, Service>, Pick<Cluster, Clients>>;
export type ActuationRun = Run<ActuationServices, ChangedCluster>;
export type DrainRun = Run<DrainServices, DrainedCluster>;

/** A function's work, apart from the runtime that calls it. */
export type Work<Event, Result> = (event: Event, invocation: Invocation) => Promise<Result>;
