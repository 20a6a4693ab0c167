import { csiNodesByName } from '../model/csi-drivers.ts';
import type { NodeName } from '../model/values/names.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '../model/cluster/storage.ts';

/** Storage objects by name. */
export interface VolumeIndex {
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly volumesOfClass: ReadonlyMap<string, readonly PersistentVolume[]>;
  readonly classes: ReadonlyMap<string, StorageClass>;
  readonly csiNodes: ReadonlyMap<NodeName, CsiNode>;
  readonly attachments: ReadonlyMap<NodeName, readonly VolumeAttachment[]>;
}

/** The storage objects of a cluster, indexed once. */
export const volumeIndex = rememberedOf((objects: ClusterObjects): VolumeIndex => {
  const claims = new Map(objects.persistentVolumeClaims.map((claim) => [`${claim.namespace}/${claim.name}`, claim]));
  return {
    claim: (namespace, name) => claims.get(`${namespace}/${name}`),
    volumes: new Map(objects.persistentVolumes.map((volume) => [volume.name, volume])),
    volumesOfClass: Map.groupBy(objects.persistentVolumes, (volume) => volume.storageClass),
    classes: new Map(objects.storageClasses.map((storageClass) => [storageClass.name, storageClass])),
    csiNodes: csiNodesByName(objects.csiNodes),
    attachments: Map.groupBy(objects.volumeAttachments, (attachment) => attachment.nodeName),
  };
});

/** A claim that a pod refers to, by name or as a generic ephemeral volume. */
interface ClaimUse {
  readonly name: string;
  readonly ephemeral: boolean;
}

/** The claims of a pod, in the order of its volumes. A generic ephemeral volume's claim is named after the pod. */
export function claimUses(kind: Pick<PodKind, 'name' | 'spec'>): readonly ClaimUse[] {
  const uses: ClaimUse[] = [];
  for (const volume of kind.spec.volumes) {
    if (volume.kind === 'claim') {
      uses.push({ name: volume.claimName, ephemeral: false });
    } else if (volume.kind === 'ephemeralClaim') {
      uses.push({ name: `${kind.name}-${volume.name}`, ephemeral: true });
    }
  }
  return uses;
}

/** The claim of a generic ephemeral volume must have been made for this very pod. */
export const ownedBy = (claim: PersistentVolumeClaim, kind: PodKind): boolean => claim.ownerPodUid === kind.uid;

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const BIND_COMPLETED_ANNOTATION = 'pv.kubernetes.io/bind-completed';

/** The class that a claim asks for; empty: none. The old annotation goes before the field. */
export const classOf = (claim: PersistentVolumeClaim): string =>
  claim.annotations[CLASS_ANNOTATION] ?? claim.storageClass ?? '';

/** A volume name alone does not bind: the volume controller has to have finished. */
export const isBound = (claim: PersistentVolumeClaim): boolean =>
  claim.volumeName !== '' && BIND_COMPLETED_ANNOTATION in claim.annotations;

/** Bound when a pod that uses it has a node, and not before. */
export const waitsForConsumer = (index: VolumeIndex, claim: PersistentVolumeClaim): boolean =>
  index.classes.get(classOf(claim))?.bindingMode === 'WaitForFirstConsumer';

const MIGRATED_PLUGINS_ANNOTATION = 'storage.alpha.kubernetes.io/migrated-plugins';

/** Has a CSI driver taken over from this in-tree plugin on the node? */
export const isMigrated = (csiNode: CsiNode | undefined, plugin: string): boolean =>
  (csiNode?.annotations[MIGRATED_PLUGINS_ANNOTATION] ?? '').split(',').includes(plugin);
