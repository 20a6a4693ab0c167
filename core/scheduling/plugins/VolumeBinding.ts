import { getExisting } from '../../model/values/existing.ts';
import { quoted } from '../../model/values/clip.ts';
import type { NodeName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { rememberedOf } from '../../model/values/remembered.ts';
import type { Labels } from '../../model/cluster/selectors.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../model/cluster/storage.ts';
import { EBS_PLUGIN, migratedAffinity } from '../in-tree-volume.ts';
import { compileSelector } from '../label-selector.ts';
import { matchVolumeAffinity } from '../node-selector.ts';
import { type Plugin, rejectEverywhere, rejection, type Rejection, unlimited } from '../plugin.ts';
import { type LabelMatcher, matchRequirement, requirementError } from '../requirement.ts';
import {
  claimUses,
  classOf,
  isBound,
  isMigrated,
  ownedBy,
  type VolumeIndex,
  volumeIndex,
  waitsForConsumer,
} from '../volumes.ts';

const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
const BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind";
const NO_VOLUME = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
const REJECTIONS: ReadonlyMap<string, Rejection> = new Map(
  [[NODE_CONFLICT], [BIND_CONFLICT], [NO_VOLUME], [NODE_CONFLICT, BIND_CONFLICT], [BIND_CONFLICT, NO_VOLUME]].map(
    (reasons) => [reasons.join(), rejection('VolumeBinding', ...reasons)],
  ),
);
const UNBOUND_IMMEDIATE = rejection('VolumeBinding', 'pod has unbound immediate PersistentVolumeClaims');
const SELECTED_NODE_ANNOTATION = 'volume.kubernetes.io/selected-node';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/**
 * Volumes that claims are bound to must be reachable from the node; claims that wait for their first consumer need a
 * free reachable volume, or a class that provisions a reachable volume. Volumes of pods placed on the snapshot stay
 * among the free volumes: nothing is bound in a simulation. Follows kube-scheduler 1.35, plugins/volumebinding.
 */
export const volumeBinding: Plugin = {
  name: 'VolumeBinding',
  prepare: ({ objects }) => {
    const reachable = rememberedOf((volume: PersistentVolume) => matchAffinity(volume.nodeAffinity));
    const reachableByDriver = rememberedOf((volume: PersistentVolume) => matchAffinity(migratedAffinity(volume)));
    return (kind) => {
      const uses = claimUses(kind);
      if (uses.length === 0) {
        return null;
      }
      const index = volumeIndex(objects);
      const claims: PersistentVolumeClaim[] = [];
      for (const { name, ephemeral } of uses) {
        const claim = index.claim(kind.namespace, name);
        const error = claimError(claim, name, ephemeral, kind);
        if (claim === undefined || error !== null) {
          return rejectEverywhere(rejection('VolumeBinding', error ?? ''));
        }
        claims.push(claim);
      }
      const bound = claims.filter(isBound);
      const unbound = claims.filter((claim) => !isBound(claim));
      // The volume controller binds a claim that names its volume, even if the claim's class waits for a consumer.
      if (unbound.some((claim) => claim.volumeName !== '' || !waitsForConsumer(index, claim))) {
        return rejectEverywhere(UNBOUND_IMMEDIATE);
      }
      const binder = createBinder(unbound, index, reachable);
      return {
        node: ({ name, node: { labels } }) => {
          const reasons = [];
          const migrated = isMigrated(index.csiNodes.get(name), EBS_PLUGIN);
          const failure = firstFailure(bound, index, (volume) =>
            (migrated && volume.csi?.inTree === true ? reachableByDriver : reachable)(volume)(labels),
          );
          if (failure === 'unreachable') {
            reasons.push(NODE_CONFLICT);
          }
          if (!binder(name, labels)) {
            reasons.push(BIND_CONFLICT);
          }
          if (failure === 'missing') {
            reasons.push(NO_VOLUME);
          }
          return reasons.length === 0 ? null : getExisting(REJECTIONS, reasons.join());
        },
        room: unlimited,
      };
    };
  },
};

const matchAffinity = (terms: PersistentVolume['nodeAffinity']): LabelMatcher =>
  terms === null ? () => true : matchVolumeAffinity(terms);

function claimError(
  claim: PersistentVolumeClaim | undefined,
  name: string,
  ephemeral: boolean,
  kind: PodKind,
): string | null {
  const claimName = quoted(name);
  if (claim === undefined) {
    return ephemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${claimName}`
      : `persistentvolumeclaim ${claimName} not found`;
  }
  if (claim.phase === 'Lost') {
    return `persistentvolumeclaim ${claimName} bound to non-existent persistentvolume ${quoted(claim.volumeName)}`;
  }
  if (claim.deleted) {
    return `persistentvolumeclaim ${claimName} is being deleted`;
  }
  if (ephemeral && !ownedBy(claim, kind)) {
    const { namespace } = claim;
    return `PVC ${namespace}/${name} was not created for pod ${kind.namespace}/${kind.name} (pod is not owner)`;
  }
  return null;
}

/** The first bound claim that is in the way decides what is said. */
function firstFailure(
  claims: readonly PersistentVolumeClaim[],
  index: VolumeIndex,
  reachable: (volume: PersistentVolume) => boolean,
): 'missing' | 'unreachable' | null {
  for (const claim of claims) {
    const volume = index.volumes.get(claim.volumeName);
    if (volume === undefined) {
      return 'missing';
    }
    if (!reachable(volume)) {
      return 'unreachable';
    }
  }
  return null;
}

type Binder = (node: NodeName, labels: Labels) => boolean;

/** Could all these claims be bound for a pod on that node, to volumes that exist or to new ones? */
function createBinder(
  claims: readonly PersistentVolumeClaim[],
  index: VolumeIndex,
  reachable: (volume: PersistentVolume) => LabelMatcher,
): Binder {
  const selected = claims.filter((claim) => SELECTED_NODE_ANNOTATION in claim.annotations);
  // The smallest first, so that each gets the smallest volume that will do.
  const open = claims
    .filter((claim) => !(SELECTED_NODE_ANNOTATION in claim.annotations))
    .toSorted((a, b) => a.requestBytes - b.requestBytes)
    .map((claim) => ({ claim, candidates: candidatesFor(claim, index) }));
  const provisions = new Map(claims.map((claim) => [claim, canProvision(index.classes.get(classOf(claim)))]));
  return (node, labels) => {
    if (selected.some(({ annotations }) => annotations[SELECTED_NODE_ANNOTATION] !== node)) {
      return false;
    }
    const toProvision = [...selected];
    const chosen = new Set<PersistentVolume>();
    for (const { claim, candidates } of open) {
      const volume = choose(claim, candidates, chosen, (candidate) => reachable(candidate)(labels));
      if (volume === null) {
        toProvision.push(claim);
      } else {
        chosen.add(volume);
      }
    }
    return toProvision.every((claim) => getExisting(provisions, claim)(labels));
  };
}

/** Volumes that a claim may be bound to, whatever the node; the volume reserved for the claim first. */
function candidatesFor(claim: PersistentVolumeClaim, index: VolumeIndex): readonly PersistentVolume[] {
  const selector = mapOptional(claim.selector, (given) => compileSelector(given));
  return (index.volumesOfClass.get(classOf(claim)) ?? []).filter((volume) => {
    if (volume.capacityBytes < claim.requestBytes || volume.volumeMode !== claim.volumeMode || volume.deleted) {
      return false;
    }
    if (volume.claimRef !== null) {
      return isReservedFor(volume, claim);
    }
    return (
      volume.phase === 'Available' &&
      (selector === null || (selector.ok && selector.value.matches(volume.labels))) &&
      claim.accessModes.every((mode) => volume.accessModes.includes(mode))
    );
  });
}

function isReservedFor({ claimRef }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (
    claimRef !== null &&
    claimRef.name === claim.name &&
    claimRef.namespace === claim.namespace &&
    (claimRef.uid === '' || claimRef.uid === claim.uid)
  );
}

function choose(
  claim: PersistentVolumeClaim,
  candidates: readonly PersistentVolume[],
  taken: ReadonlySet<PersistentVolume>,
  reachable: (volume: PersistentVolume) => boolean,
): PersistentVolume | null {
  let smallest: PersistentVolume | null = null;
  for (const volume of candidates) {
    if (taken.has(volume)) {
      continue;
    }
    if (isReservedFor(volume, claim)) {
      return reachable(volume) ? volume : null;
    }
    if ((smallest === null || volume.capacityBytes < smallest.capacityBytes) && reachable(volume)) {
      smallest = volume;
    }
  }
  return smallest;
}

/** Would the class make a volume on a node with these labels? */
function canProvision(storageClass: StorageClass | undefined): (labels: Labels) => boolean {
  if (storageClass === undefined || storageClass.provisioner === '' || storageClass.provisioner === NO_PROVISIONER) {
    return () => false;
  }
  const { allowedTopologies } = storageClass;
  if (allowedTopologies.length === 0) {
    return () => true;
  }
  // A term without requirements, or with one that Kubernetes would not accept, allows nothing.
  const terms = allowedTopologies
    .filter((term) => term.length > 0 && term.every((requirement) => requirementError(requirement) === null))
    .map((term) => term.map(matchRequirement));
  return (labels) => terms.some((term) => term.every((matches) => matches(labels)));
}
