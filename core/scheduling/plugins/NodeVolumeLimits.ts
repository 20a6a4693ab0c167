import type { Volume } from '../../model/cluster/pod.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { CsiNode, PersistentVolumeClaim } from '../../model/cluster/storage.ts';
import { isFromTemplate } from '../../model/cluster/node.ts';
import { hasDriver, requiredDrivers } from '../../model/csi-drivers.ts';
import type { NodeName } from '../../model/values/names.ts';
import { getOptional } from '../../model/values/optional.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';
import { expectedCsiNodes } from '../expected-csi-nodes.ts';
import { type Plugin, rejection, unlimited } from '../plugin.ts';
import { claimUses, classOf, ownedBy, type VolumeIndex, volumeIndex } from '../volumes.ts';

const EXCEEDED = rejection('NodeVolumeLimits', 'node(s) exceed max volume count');

/** Drivers that in-tree plugins have moved to, those that the scheduler takes for moved. */
const MIGRATED: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
};
/** In-tree plugins whose volumes the scheduler does not count. */
const UNCOUNTED: ReadonlySet<string> = new Set(['kubernetes.io/azure-file', 'kubernetes.io/vsphere-volume']);

/** A volume that a driver attaches, by a name of its own. */
interface Attachable {
  readonly driver: string;
  readonly id: string;
  /** Is the volume one of an in-tree plugin, and counted only on nodes with a CSINode? */
  readonly migrated: boolean;
}

/**
 * A CSI driver attaches as many volumes to a node as its CSINode says, each counted once however many pods use it;
 * claims that wait for their first consumer count for the driver of their class. No CSINode, no limit; a node that does
 * not exist yet has the limits of similar nodes (`expectedCsiNodes`). A node without a driver that prevents this takes no pod with a
 * volume of the driver; a node that does not exist yet has the drivers of similar nodes, or every driver without such nodes. Follows kube-scheduler 1.33 to 1.37,
 * plugins/nodevolumelimits.
 */
export const nodeVolumeLimits: Plugin = {
  name: 'NodeVolumeLimits',
  prepare: ({ objects, snapshot }) => {
    const required = requiredDrivers(objects.csiDrivers);
    let expected: ReturnType<typeof expectedCsiNodes> | undefined;
    const byKind: (readonly Attachable[] | undefined)[] = [];
    const attachables = (kind: PodKind): readonly Attachable[] =>
      (byKind[kind.id] ??= attachablesOf(kind, volumeIndex(objects)));
    return (kind) => {
      const wanted = attachables(kind);
      if (wanted.length === 0) {
        return null;
      }
      const index = volumeIndex(objects);
      const fits = fittingOn(index, attachables);
      const needed = wanted.filter(({ driver }) => required.has(driver));
      const expectedOf = (expected ??= expectedCsiNodes(snapshot, index));
      return {
        node: (info) => {
          const csiNode = index.csiNodes.get(info.name) ?? expectedOf(info);
          const missing = missingOf(needed, csiNode, info);
          if (missing !== undefined) {
            return rejection('NodeVolumeLimits', `${missing.driver} CSI driver is not installed on the node`);
          }
          return csiNode === undefined || fits(wanted, csiNode, info) ? null : EXCEEDED;
        },
        // Pods of one kind share their volumes: the second needs none that the first did not bring.
        room: unlimited,
      };
    };
  },
};

/** The first volume whose driver the node lacks. Without a CSINode, a new node is expected to have every driver. */
const missingOf = (needed: readonly Attachable[], csiNode: CsiNode | undefined, { node }: NodeInfo) =>
  csiNode === undefined
    ? needed.find(({ migrated }) => !migrated && !isFromTemplate(node))
    : needed.find(({ driver }) => !hasDriver(csiNode, driver));

function fittingOn(index: VolumeIndex, attachables: (kind: PodKind) => readonly Attachable[]) {
  return (wanted: readonly Attachable[], csiNode: CsiNode, { name: node, pods }: NodeInfo): boolean => {
    for (const { name, count: limit } of csiNode.drivers) {
      if (limit === null) {
        continue;
      }
      const counts = ({ driver }: Attachable): boolean => driver === name;
      const fresh = new Set(wanted.filter(counts).map(({ id }) => id));
      if (fresh.size === 0) {
        continue;
      }
      const attached = new Set<string>();
      for (const kind of pods.keys()) {
        for (const volume of attachables(kind)) {
          if (counts(volume)) {
            attached.add(volume.id);
          }
        }
      }
      // Only what pods use is not counted again: an attachment of the very volume that is wanted is.
      const again = attached.size;
      const needed = fresh.difference(attached).size;
      const lingering = lingeringAttachments(index, node, name, attached);
      if (needed > 0 && again + lingering + needed > limit) {
        return false;
      }
    }
    return true;
  };
}

/** Volumes that are still attached, though no pod of the node uses them. */
function lingeringAttachments(
  index: VolumeIndex,
  node: NodeName,
  driver: string,
  attached: ReadonlySet<string>,
): number {
  const lingering = new Set<string>();
  for (const { attacher, persistentVolume } of index.attachments.get(node) ?? []) {
    const csi = getOptional(index.volumes, persistentVolume)?.csi;
    // kube-scheduler counts attachments of the driver's own volumes, not of in-tree volumes that migrated to it.
    if (attacher === driver && csi?.inTree === false && !attached.has(csi.handle)) {
      lingering.add(csi.handle);
    }
  }
  return lingering.size;
}

function attachablesOf(kind: PodKind, index: VolumeIndex): readonly Attachable[] {
  const found: Attachable[] = [];
  for (const { name, ephemeral } of claimUses(kind)) {
    const claim = index.claim(kind.namespace, name);
    if (claim !== undefined && (!ephemeral || ownedBy(claim, kind))) {
      found.push(...claimedVolume(claim, index));
    }
  }
  return [...found, ...kind.spec.volumes.flatMap(inlineVolume)];
}

function claimedVolume(claim: PersistentVolumeClaim, index: VolumeIndex): readonly Attachable[] {
  const volume = index.volumes.get(claim.volumeName);
  if (volume !== undefined) {
    const { csi } = volume;
    if (csi === null || csi.driver === '' || csi.handle === '') {
      return [];
    }
    return [{ driver: csi.driver, id: csi.handle, migrated: csi.inTree }];
  }
  // The claim will get a volume of its class; until then it is identified by its own name.
  const provisioner = index.classes.get(classOf(claim))?.provisioner ?? '';
  const id = `claim ${claim.namespace}/${claim.name}`;
  if (provisioner === '' || UNCOUNTED.has(provisioner)) {
    return [];
  }
  return [{ driver: MIGRATED[provisioner] ?? provisioner, id, migrated: provisioner in MIGRATED }];
}

/** Disks named in the pod itself count for the driver that took over from their in-tree plugin. */
function inlineVolume(volume: Volume): readonly Attachable[] {
  if (volume.kind !== 'disk') {
    return [];
  }
  switch (volume.type) {
    case 'awsElasticBlockStore':
      // `aws://zone/vol-…` and `vol-…` name the same volume.
      return [{ driver: 'ebs.csi.aws.com', id: volume.id.slice(volume.id.lastIndexOf('/') + 1), migrated: true }];
    case 'gcePersistentDisk':
      return [
        {
          driver: 'pd.csi.storage.gke.io',
          id: `projects/UNSPECIFIED/zones/UNSPECIFIED/disks/${volume.id}`,
          migrated: true,
        },
      ];
    case 'iscsi':
    case 'rbd':
      return [];
  }
}
