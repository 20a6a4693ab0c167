import type { Commitment } from '../../core/model/commitment.ts';
import type { Options } from '../../core/model/options.ts';
import type { ProviderName } from '../../core/model/provider.ts';
import type { ProvisioningRequest } from '../../core/model/cluster/provisioning-request.ts';
import type { GroupName } from '../../core/model/values/names.ts';
import type { DurationMs, EpochMs } from '../../core/model/values/time.ts';
import type { SimulatedScalingGroup } from '../../simulation/cloud/scaling-group.ts';
import type { DaemonSet } from '../../simulation/cluster/workload.ts';
import type { Pool } from './pools.ts';
import type { Step } from './step.ts';

/**
 * A cluster whose needs can be told exactly. Pods belong to pools, each pool has node groups of its own, all with nodes
 * of one size; sizes are whole units and divide each other, so that a pod list fits a node list exactly if the largest
 * first find a place. Whatever the functions buy beyond that is bought in vain.
 */
export interface FaultScenario {
  readonly seed: number;
  readonly start: EpochMs;
  readonly options: Options;
  readonly pools: readonly Pool[];
  readonly groups: readonly SimulatedScalingGroup[];
  readonly daemonSets: readonly DaemonSet[];
  /** On AWS, instances that are paid for in any case. */
  readonly commitments: readonly Commitment[];
  readonly steps: readonly Step[];
  /** On AWS. */
  readonly templateChanges: readonly TemplateChange[];
  /** CapacityBuffers that another client creates and removes. */
  readonly buffers: readonly DrawnBuffer[];
  /** ProvisioningRequests of a queue. */
  readonly requests: readonly DrawnRequest[];
  /** Then nothing goes wrong any more, and nothing new is requested. */
  readonly faultsUntil: EpochMs;
  /**
   * An assumption of the functions that does not hold in this run: descriptions of groups that lag longer than they wait
   * for, or clocks that are further apart than they allow for.
   */
  readonly beyond: Assumption | null;
  /** Kind of the node groups. */
  readonly provider: ProviderName;
  /** Whether half of all lists are old. */
  readonly oldLists: boolean;
  /** Whether the API server calls the webhook. */
  readonly webhook: boolean;
  /** Invocations at a time that Lambda allows the account; `null`: as many as there are. */
  readonly concurrency: number | null;
  /** The table's stream is read in batches, each of which holds up the next, instead of record by record. */
  readonly shards: boolean;
  /** Names of the features that only a part of the runs has. */
  readonly drawn: readonly string[];
  /** Long enough after that for every timeout and every backoff. */
  readonly until: EpochMs;
}

/** AWS guarantees neither. */
export type Assumption = 'lag' | 'skew';

/** Room that is to be held in a pool, for a time of the run. */
export interface DrawnBuffer {
  readonly name: string;
  readonly pool: Pool;
  /** Size of each of its pods. */
  readonly units: number;
  /** For which it is to have room. */
  readonly pods: number;
  /** So many more it asks for, which a quota refuses; 0: there is no quota. */
  readonly refused: number;
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** Room that a queue asks for in a pool, for the pods of a job. */
export interface DrawnRequest {
  readonly name: string;
  readonly pool: Pool;
  readonly className: string;
  /** Size of each of its pods. */
  readonly units: number;
  readonly pods: number;
  readonly parameters: ProvisioningRequest['parameters'];
  readonly from: EpochMs;
  /** Then the job is deleted. */
  readonly until: EpochMs;
  /** Is the request deleted with its job? */
  readonly isDeleted: boolean;
  /** From the answer that there is room to the creation of the pods; `null`: none are created. */
  readonly startsAfter: DurationMs | null;
  /** How long each pod runs. */
  readonly runsFor: DurationMs;
}

/** Another client gives a group another version of its launch template. */
export interface TemplateChange {
  readonly at: EpochMs;
  readonly group: GroupName;
}
