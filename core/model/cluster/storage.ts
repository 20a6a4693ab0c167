import type { NodeName } from '../values/names.ts';
import type { LabelSelector, Labels, NodeRequirement, NodeSelectorTerm } from './selectors.ts';

export interface PersistentVolume {
  readonly name: string;
  readonly labels: Labels;
  readonly storageClass: string;
  readonly capacityBytes: number;
  readonly accessModes: readonly string[];
  readonly volumeMode: string; // Filesystem | Block
  readonly phase: string;
  /** `namespace/name` of the claim it is bound to or reserved for. */
  readonly claimRef: { readonly namespace: string; readonly name: string; readonly uid: string } | null;
  /** `spec.nodeAffinity.required`; `null` where there is none. */
  readonly nodeAffinity: readonly NodeSelectorTerm[] | null;
  /**
   * The CSI driver that attaches the volume, and the volume's handle. In-tree EBS volumes (`inTree`) are given as the
   * CSI driver they migrate to.
   */
  readonly csi: { readonly driver: string; readonly handle: string; readonly inTree: boolean } | null;
  readonly deleted: boolean;
}

export interface PersistentVolumeClaim {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** `null`: not given (the default class); `''`: none wanted. */
  readonly storageClass: string | null;
  readonly volumeName: string;
  readonly volumeMode: string;
  readonly accessModes: readonly string[];
  readonly requestBytes: number;
  readonly selector: LabelSelector | null;
  readonly phase: string;
  /** uid of the pod that owns it (generic ephemeral volumes). */
  readonly ownerPodUid: string | null;
  readonly deleted: boolean;
}

export interface StorageClass {
  readonly name: string;
  readonly provisioner: string;
  readonly bindingMode: string; // Immediate | WaitForFirstConsumer
  /** Terms are ORed, their requirements ANDed; empty: everywhere. */
  readonly allowedTopologies: readonly (readonly NodeRequirement[])[];
  readonly isDefault: boolean;
}

export interface CsiNode {
  readonly name: NodeName;
  readonly annotations: Labels;
  /** `count`: most volumes that the driver attaches to this node; `null`: unlimited. */
  readonly drivers: readonly { readonly name: string; readonly nodeId: string; readonly count: number | null }[];
}

/** `storage.k8s.io/v1` */
export interface CsiDriver {
  readonly name: string;
  /** Pods with volumes of the driver go to no node that lacks the driver. */
  readonly preventPodSchedulingIfMissing: boolean;
}

export interface VolumeAttachment {
  readonly name: string;
  readonly attacher: string;
  readonly nodeName: NodeName;
  readonly persistentVolume: string | null;
  readonly attached: boolean;
}
