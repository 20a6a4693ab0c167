/**
 * The status of Cluster Autoscaler, as the ConfigMap `cluster-autoscaler-status` has it (cluster-autoscaler/clusterstate/api),
 * without its times: when each condition was seen, and since when it has been so.
 */
export interface AutoscalerStatus {
  readonly autoscalerStatus: 'Running';
  readonly clusterWide: Conditions<HealthCondition, ScaleUpCondition<'NoActivity' | 'InProgress'>>;
  readonly nodeGroups: readonly NodeGroupStatus[];
}

export interface NodeGroupStatus extends Conditions<
  HealthCondition & { readonly cloudProviderTarget: number; readonly minSize: number; readonly maxSize: number },
  ScaleUpCondition<'NoActivity' | 'InProgress' | 'Backoff' | 'Unhealthy'>
> {
  readonly name: string;
}

interface Conditions<Health, ScaleUp> {
  readonly health: Health;
  readonly scaleUp: ScaleUp;
  readonly scaleDown: {
    readonly status: 'NoCandidates' | 'CandidatesPresent';
    /** Number of unneeded nodes; absent where there is none. */
    readonly candidates?: number;
  };
}

interface HealthCondition {
  readonly status: 'Healthy' | 'Unhealthy';
  readonly nodeCounts: {
    readonly registered: {
      readonly total: number;
      readonly ready: number;
      readonly notStarted: number;
      readonly suspended: number;
      readonly beingDeleted: number;
      readonly unready: { readonly total: number; readonly resourceUnready: number };
    };
    readonly longUnregistered: number;
    readonly unregistered: number;
  };
}

interface ScaleUpCondition<Status> {
  readonly status: Status;
  readonly backoffInfo?: { readonly errorCode: string; readonly errorMessage: string };
}
