import type { SnapshotUse } from '../model/snapshot-use.ts';
import type { Words } from './words.ts';

/** The uses of snapshots on cold starts. */
export const SNAPSHOT_USES: Readonly<Record<SnapshotUse, Words>> = {
  Used: { short: 'used', sentence: 'A snapshot is what the list begins with, and a watch has brought it up to date.' },
  NoSnapshot: {
    short: 'there is none',
    sentence: 'There is no snapshot of the list, and it is long enough to be kept.',
    advice:
      'Usual on the first day. Later see whether the log of the ScaleDown function warns of snapshots that could not be stored.',
  },
  TooOld: {
    short: 'it is too old',
    sentence: 'The snapshot is older than ten minutes.',
    advice: 'Usual after a rest of the cluster, in which none is stored, and with a scanInterval of many minutes.',
  },
  OtherVersion: {
    short: 'another version has written it',
    sentence: 'The snapshot was written by a version of Outrigger that reads objects otherwise.',
    advice: 'Usual after some updates: the next evaluation of scale-down replaces it.',
  },
  OtherCluster: {
    short: 'it is of another cluster',
    sentence: 'The snapshot is of a cluster of another name, or of another one that had this name before.',
    advice:
      'Usual once after a cluster was created again. If it repeats, see who writes to the bucket: a warning names the place.',
  },
  Damaged: {
    short: 'it is damaged',
    sentence: 'The snapshot is not as it was written.',
    advice:
      'The next one replaces it. If it repeats, see who writes to the bucket: a warning names the place and what is wrong.',
  },
  Unreadable: {
    short: 'it cannot be read',
    sentence: 'The bucket, or the namespace kube-system, could not be read.',
    advice: 'See the warning in the log: rights are missing, or the gateway endpoint for S3.',
  },
  Late: {
    short: 'it took too long',
    sentence: 'The snapshot was not there within four seconds, in which a full list is.',
    advice: 'See the way to S3 and, of many pods, whether a larger size gives the function more CPU.',
  },
  Expired: {
    short: 'the changes since are forgotten',
    sentence: 'The API server has no longer the changes since the snapshot (410 Gone).',
    advice: 'Usual with a scanInterval of several minutes, and where very much changes.',
  },
  TooManyChanges: {
    short: 'too much has changed since',
    sentence: 'More has changed since the snapshot than is read of a watch.',
  },
  WatchFailed: {
    short: 'the watch has failed',
    sentence: 'The watch from the version of the snapshot has failed, or has proved nothing.',
    advice: 'See the warning in the log.',
  },
  Compared: {
    short: 'it was compared with a full list',
    sentence: 'The list was watched sixty times since it was read in full, and is compared with a full one.',
  },
};

/** A sentence for the log. */
export function snapshotText(list: string, use: SnapshotUse): string {
  if (use === 'Used') {
    return `cold start: the list of ${list} begins with its snapshot`;
  }
  return `cold start: the list of ${list} is read in full, not from a snapshot: ${SNAPSHOT_USES[use].short}`;
}
