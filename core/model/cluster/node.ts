import type { NodeName } from '../values/names.ts';
import type { Resources } from '../values/resources.ts';
import type { Labels } from './selectors.ts';
import type { EpochMs } from '../values/time.ts';

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string; // NoSchedule | PreferNoSchedule | NoExecute
}

export interface NodeCondition {
  readonly type: string;
  readonly status: string; // True | False | Unknown
  readonly reason: string;
  readonly since: EpochMs | null;
}

export interface Node {
  readonly name: NodeName;
  readonly uid: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly createdAt: EpochMs | null;
  readonly deletedAt: EpochMs | null;
  readonly providerId: string | null;
  /** `spec.unschedulable`: cordoned. */
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly conditions: readonly NodeCondition[];
  /** Features of its kubelet (`status.declaredFeatures`), since Kubernetes 1.36; absent without any, and where a template does not know. */
  readonly declaredFeatures?: readonly string[] | undefined;
}

/** Is it none of the API server's, but what a new node of a group will be? No API server gives a node its name for a uid. */
export const isFromTemplate = ({ name, uid }: Node): boolean => uid === name;

export const HOSTNAME_LABEL = 'kubernetes.io/hostname';
export const ZONE_LABEL = 'topology.kubernetes.io/zone';
export const REGION_LABEL = 'topology.kubernetes.io/region';
export const ARCH_LABEL = 'kubernetes.io/arch';
export const OS_LABEL = 'kubernetes.io/os';
export const INSTANCE_TYPE_LABEL = 'node.kubernetes.io/instance-type';
export const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';
export const DELETION_CANDIDATE_TAINT = 'DeletionCandidateOfClusterAutoscaler';
/** Keeps kube-scheduler off a new node until the pods that the plan has for it are nominated to it (`plannedPlacement`). */
export const AWAITING_PODS_TAINT = 'outrigger.dev/awaiting-pods';
