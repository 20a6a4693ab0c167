import { quoted } from '../../model/values/clip.ts';
import type { Volume } from '../../model/cluster/pod.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { CountTable } from '../counts/count-table.ts';
import { TotalCounter } from '../counts/counters.ts';
import { type KindFilter, one, type Plugin, rejectEverywhere, rejection, unlimited } from '../plugin.ts';
import { volumeIndex } from '../volumes.ts';

const NO_DISK = rejection('VolumeRestrictions', 'node(s) had no available disk');
const IN_USE = rejection(
  'VolumeRestrictions',
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

type Disk = Extract<Volume, { kind: 'disk' }>;

/**
 * A claim with access mode ReadWriteOncePod takes one pod in the whole cluster. A disk named in the pod itself goes once
 * onto a node, unless everyone there reads only (never so for EBS). Follows kube-scheduler 1.35,
 * plugins/volumerestrictions.
 */
export const volumeRestrictions: Plugin = {
  name: 'VolumeRestrictions',
  prepare: ({ counts, objects }) => {
    const disksOf: (readonly Disk[] | undefined)[] = [];
    const disks = (kind: PodKind): readonly Disk[] =>
      (disksOf[kind.id] ??= kind.spec.volumes.filter((volume) => volume.kind === 'disk'));
    return (kind) => {
      if (kind.spec.volumes.length === 0) {
        return null;
      }
      const index = volumeIndex(objects);
      const exclusive = new Set<string>();
      for (const volume of kind.spec.volumes) {
        if (volume.kind === 'claim') {
          const claim = index.claim(kind.namespace, volume.claimName);
          if (claim === undefined) {
            const reason = `persistentvolumeclaim ${quoted(volume.claimName)} not found`;
            return rejectEverywhere(rejection('VolumeRestrictions', reason));
          }
          if (claim.accessModes.includes('ReadWriteOncePod')) {
            exclusive.add(claim.name);
          }
        }
      }
      const own = disks(kind);
      if (own.length === 0 && exclusive.size === 0) {
        return null;
      }
      return compile(
        own,
        disks,
        [...exclusive].map((name) => usersOf(counts, kind.namespace, name)),
      );
    };
  },
};

function compile(
  own: readonly Disk[],
  disks: (kind: PodKind) => readonly Disk[],
  users: readonly TotalCounter[],
): KindFilter {
  const clashes: (boolean | undefined)[] = [];
  return {
    node: ({ pods }) => {
      if (own.length > 0) {
        for (const other of pods.keys()) {
          if ((clashes[other.id] ??= clash(own, disks(other)))) {
            return NO_DISK;
          }
        }
      }
      return users.some(({ total }) => total > 0) ? IN_USE : null;
    },
    room: users.length > 0 || clash(own, own) ? one : unlimited,
  };
}

/** How many pods of the cluster use a claim by its name. */
function usersOf(counts: CountTable, namespace: string, claimName: string): TotalCounter {
  return counts.counter(
    `claim ${namespace}/${claimName}`,
    () => new TotalCounter(),
    () => ({
      matches: ({ spec }) => spec.volumes.some((volume) => volume.kind === 'claim' && volume.claimName === claimName),
      namespaces: new Set([namespace]),
      required: null,
    }),
  );
}

const clash = (some: readonly Disk[], others: readonly Disk[]): boolean =>
  some.some((a) => others.some((b) => sameDisk(a, b) && !(a.readOnly && b.readOnly && shareable(a))));

const sameDisk = (a: Disk, b: Disk): boolean =>
  a.type === b.type &&
  a.id === b.id &&
  (a.type !== 'rbd' || a.monitors.some((monitor) => b.monitors.includes(monitor)));

const shareable = ({ type }: Disk): boolean => type !== 'awsElasticBlockStore';
