import type {
  Consideration,
  Increase,
  PodReason,
  Removal,
  ScaleDownDecision,
  ScaleUpResult,
  SkippedGroup,
  Unremovable,
} from '@outrigger/core/model/decision.ts';
import type { WarmPool } from '@outrigger/core/model/node-group.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import type { EventContent } from '../world-event.ts';

/** A run of the demo, as `outrigger demo --json` prints it. Times are seconds from the start, of virtual time. */
export interface Recording {
  readonly apiVersion: string;
  readonly kind: 'DemoRecording';
  /** The provider of the node groups. */
  readonly provider: ProviderName;
  readonly metadata: { readonly name: string };
  readonly seed: number;
  /** Seconds that a node must be unneeded before it is removed; `null` where node groups differ. */
  readonly unneededTime: number | null;
  readonly nodeGroups: readonly RecordingGroup[];
  readonly timeline: readonly TimelineEntry[];
  readonly summary: Summary;
}

export interface RecordingGroup {
  readonly name: string;
  readonly zones: readonly string[];
  readonly instanceType: string;
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredSize: number;
  /** The nodes that are there at the start. */
  readonly nodes: readonly string[];
  /** USD per hour of one node. */
  readonly price: number | null;
  /** The group's warm pool at the start; absent: none. */
  readonly warmPool?: Pick<WarmPool, 'size' | 'state'> | undefined;
}

/** In the order of time. Pods of DaemonSets are left out. */
export type TimelineEntry = { readonly at: number } & (
  | EventContent
  | LoadEntry
  | DecisionEntry
  | ScaleDownEntry
  | TroubleEntry
);

/** Handlers of entries by kind; entries of other kinds are ignored. */
export type Handlers<Result> = {
  readonly [Kind in TimelineEntry['kind']]?: (entry: Extract<TimelineEntry, { readonly kind: Kind }>) => Result;
};

/** @returns `null` for an entry without a handler. */
export const handle = <Result>(handlers: Handlers<Result>, entry: TimelineEntry): Result | null => {
  const handler = handlers[entry.kind] as ((entry: TimelineEntry) => Result) | undefined;
  return handler === undefined ? null : handler(entry);
};

/** A step of the load. */
export interface LoadEntry {
  readonly kind: 'Load';
  readonly step: 'deploy' | 'job' | 'scale' | 'delete' | 'capacity' | 'interruption';
  /** The workload as `namespace/name`, or the node group. */
  readonly subject: string;
  /** Pods; available instances, or those that are taken back. */
  readonly count: number;
  readonly before: number;
  /** The requests of each pod, as quantities. */
  readonly requests: Readonly<Record<string, string>>;
  /** Seconds that a job's pods run. */
  readonly runsFor: number | null;
  /** Pods that a PodDisruptionBudget wants to be available, of this number; `null` where there is none. */
  readonly minAvailable: number | null;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A scale-up decision about pending pods. */
export interface DecisionEntry {
  readonly kind: 'Decision';
  readonly result: ScaleUpResult;
  readonly increases: readonly Increase[];
  readonly considered: readonly Consideration[];
  readonly skippedGroups: readonly SkippedGroup[];
  /** Upcoming nodes before this decision. */
  readonly upcoming: number;
  /** How many pods had which outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Pods that no group can hold, by workload, with what each group's nodes lack. */
  readonly unschedulable: readonly Stuck[];
  /** The longest wait, in seconds, of the pods that this decision adds nodes for; `null` where it adds none. */
  readonly waited: number | null;
}

/** A scale-down decision that differs from the one before: unneeded nodes, removals, or reasons to stay. */
export interface ScaleDownEntry {
  readonly kind: 'ScaleDown';
  readonly result: ScaleDownDecision['result'];
  readonly message: string | null;
  readonly unneeded: readonly string[];
  readonly removals: readonly Removal[];
  /** Why the other nodes stay; for nodes that are not checked again for a while, the last known reason. */
  readonly staying: readonly Unremovable[];
}

export interface Stuck {
  readonly workload: string;
  readonly pods: number;
  readonly reasons: readonly PodReason[];
}

/** A warning or an error of one of Outrigger's functions. */
interface TroubleEntry {
  readonly kind: 'Trouble';
  readonly level: 'warn' | 'error';
  readonly message: string;
}

export interface Summary {
  /** `idle`: all pods run, or nothing more can change; `time is up`: the load's `until`, or the time limit. */
  readonly end: 'idle' | 'time is up';
  readonly seconds: number;
  readonly pods: {
    readonly created: number;
    /** Pods that have run, whether or not they still do. */
    readonly placed: number;
    /** Pods without a node at the end. */
    readonly pending: number;
    /** Pods that the scheduler found no node for at first. */
    readonly waited: number;
  };
  /** Seconds, of the pods that waited; `null` when none did. */
  readonly pendingToDecision: Percentiles | null;
  readonly pendingToRunning: Percentiles | null;
  readonly nodes: {
    readonly start: number;
    readonly end: number;
    readonly most: number;
    /** Instances that were launched. */
    readonly bought: number;
    /** The added nodes that came from warm pools; absent where no node group has one. */
    readonly warm?: number | undefined;
    /** Nodes that Outrigger removed: without pods to evict, and after evicting their pods. */
    readonly empty: number;
    readonly drained: number;
  };
  readonly evictions: {
    /** Pods that were evicted. */
    readonly pods: number;
    /** Evictions that a budget refused. */
    readonly refused: number;
    /** Evicted running pods of Jobs: they begin again. */
    readonly ofJobs: number;
    /** The lost work of these pods: requested CPU, for the time that the pods had run. */
    readonly lostCoreHours: number;
  };
  readonly budgets: readonly BudgetSummary[];
  readonly nodeHours: number;
  /** USD; `null` when the price of some node is not known. */
  readonly cost: number | null;
  /** USD per hour, at the peak and at the end; `null` as above. */
  readonly hourly: { readonly most: number; readonly end: number } | null;
  /** The same run if no node group had shrunk: each keeps its largest size so far. */
  readonly withoutScaleDown: { readonly nodeHours: number; readonly cost: number | null };
  /** Why the remaining nodes stay, by the last evaluation. */
  readonly staying: readonly Unremovable[];
  readonly stuck: readonly (Stuck & { readonly message: string })[];
}

/** The evictions under a PodDisruptionBudget. */
export interface BudgetSummary {
  readonly workload: string;
  /** Pods; of a percentage, whose number follows that of the pods, as it was at the eviction of `fewest`. */
  readonly minAvailable: number;
  readonly evictions: number;
  /** Pods that were available after the eviction that came closest to the budget; `null` where none was evicted. */
  readonly fewest: number | null;
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}
