import type {
  Consideration,
  Increase,
  PodReason,
  Removal,
  ScaleDownDecision,
  ScaleUpResult,
  SkippedGroup,
  Unremovable,
} from '../../../core/model/decision.ts';
import type { Happening } from '../../../providers/simulated/world-event.ts';

/** One run of the demo, as `outrigger demo --json` prints it. Times are seconds from the start, of virtual time. */
export interface Recording {
  readonly apiVersion: string;
  readonly kind: 'DemoRecording';
  readonly metadata: { readonly name: string };
  readonly seed: number;
  /** Seconds that a node must be unneeded before it goes; `null` where that depends on its group. */
  readonly unneededTime: number | null;
  readonly nodeGroups: readonly RecordedGroup[];
  readonly timeline: readonly Entry[];
  readonly summary: Summary;
}

export interface RecordedGroup {
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
}

/** In the order of time. Pods of DaemonSets are left out. */
export type Entry = { readonly at: number } & (Happening | LoadEntry | DecisionEntry | ScaleDownEntry | TroubleEntry);

/** What to do with entries, by their kind; the other kinds are of no concern. */
export type Handlers<Result> = {
  readonly [Kind in Entry['kind']]?: (entry: Extract<Entry, { readonly kind: Kind }>) => Result;
};

/** @returns `null` for a kind that is of no concern. */
export const handle = <Result>(handlers: Handlers<Result>, entry: Entry): Result | null => {
  const handler = handlers[entry.kind] as ((entry: Entry) => Result) | undefined;
  return handler === undefined ? null : handler(entry);
};

/** Somebody asks something of the cluster. */
export interface LoadEntry {
  readonly kind: 'Load';
  readonly step: 'deploy' | 'job' | 'scale' | 'delete' | 'capacity';
  /** The workload as `namespace/name`, or the node group. */
  readonly subject: string;
  /** Pods, or available instances. */
  readonly count: number;
  readonly before: number;
  /** What each pod asks for, as quantities. */
  readonly requests: Readonly<Record<string, string>>;
  /** Seconds that a job's pods run. */
  readonly runsFor: number | null;
  /** Of a PodDisruptionBudget; `null` where there is none. */
  readonly minAvailable: number | null;
  readonly annotations: Readonly<Record<string, string>>;
}

/** An evaluation that found pods waiting. */
export interface DecisionEntry {
  readonly kind: 'Decision';
  readonly result: ScaleUpResult;
  readonly increases: readonly Increase[];
  readonly considered: readonly Consideration[];
  readonly skippedGroups: readonly SkippedGroup[];
  /** Nodes that were on their way already. */
  readonly upcoming: number;
  /** How many pods had which outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Pods that no group can hold, by workload, with what each group's nodes lack. */
  readonly unschedulable: readonly Stuck[];
  /** Seconds that the pod had waited which waited longest of those that this decision is for. */
  readonly waited: number | null;
}

/** An evaluation that sees the nodes in another light than the one before: which are unneeded, go, or stay. */
export interface ScaleDownEntry {
  readonly kind: 'ScaleDown';
  readonly result: ScaleDownDecision['result'];
  readonly message: string | null;
  readonly unneeded: readonly string[];
  readonly removals: readonly Removal[];
  /** Why the others stay: what was last found out, for nodes that are not tried again for a while. */
  readonly staying: readonly Unremovable[];
}

export interface Stuck {
  readonly workload: string;
  readonly pods: number;
  readonly reasons: readonly PodReason[];
}

/** Something that one of Outrigger's functions warned of. */
export interface TroubleEntry {
  readonly kind: 'Trouble';
  readonly level: 'warn' | 'error';
  readonly message: string;
}

export interface Summary {
  /** `at rest`: all pods run, or nothing can change any more; `time is up`: the load's `until`, or the limit. */
  readonly end: 'at rest' | 'time is up';
  readonly seconds: number;
  readonly pods: {
    readonly created: number;
    /** Pods that have been running, whether or not they still are. */
    readonly placed: number;
    /** Pods without a node at the end. */
    readonly pending: number;
    /** Pods for which there was no place when they came. */
    readonly waited: number;
  };
  /** Seconds, of the pods for which there was no place; `null` when there were none. */
  readonly pendingToDecision: Percentiles | null;
  readonly pendingToRunning: Percentiles | null;
  readonly nodes: {
    readonly start: number;
    readonly end: number;
    readonly most: number;
    /** Machines that were launched. */
    readonly bought: number;
    /** Nodes that Outrigger has ended without anything to move, and after their pods had moved. */
    readonly empty: number;
    readonly drained: number;
  };
  /** Pods that were asked to go, and how often a budget did not allow it yet. */
  readonly evictions: { readonly pods: number; readonly refused: number };
  readonly budgets: readonly BudgetSummary[];
  readonly nodeHours: number;
  /** USD; `null` when the price of some node is not known. */
  readonly cost: number | null;
  /** USD per hour, for the most that was paid at a time and at the end; `null` as above. */
  readonly hourly: { readonly most: number; readonly end: number } | null;
  /** Had no machine ever been ended. */
  readonly withoutScaleDown: { readonly nodeHours: number; readonly cost: number | null };
  /** Why the nodes stay that are there at the end, in the last evaluation's words. */
  readonly staying: readonly Unremovable[];
  readonly stuck: readonly (Stuck & { readonly message: string })[];
}

/** How a PodDisruptionBudget fared. */
export interface BudgetSummary {
  readonly workload: string;
  readonly minAvailable: number;
  readonly evictions: number;
  /** Fewest pods that were available after an eviction; `null` where none was evicted. */
  readonly fewest: number | null;
}

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}
