import type { ClusterName } from '../../core/model/names.ts';
import type { Options } from '../../core/model/options.ts';
import type { ClusterReader, NodeGroups, StateStore } from '../../core/model/ports.ts';
import type { ProviderName } from '../../core/model/scenario.ts';
import type { EpochMs } from '../../core/model/time.ts';

/** Everything that a function needs to look after one cluster. */
export interface Cluster {
  readonly name: ClusterName;
  readonly provider: ProviderName;
  readonly options: Options;
  readonly reader: ClusterReader;
  readonly groups: NodeGroups;
}

/** The world that the functions act in: AWS, this process (`outrigger local`), or a simulation. */
export interface World {
  readonly store: StateStore;
  /** `null` for a name that this deployment does not look after. */
  readonly cluster: (name: ClusterName) => Cluster | null;
  readonly now: () => EpochMs;
  /** Resolves after so many milliseconds of this world's time. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Puts a wake-up into the queue: "look at this cluster", nothing more. */
  readonly wake: (cluster: ClusterName) => Promise<void>;
  /** Decide and say, but change nothing. */
  readonly dryRun: boolean;
}
