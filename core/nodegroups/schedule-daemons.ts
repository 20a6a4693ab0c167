import { clip } from '../model/values/clip.ts';
import { isMirror, type Pod } from '../model/cluster/pod.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { SnapshotScheduler } from '../estimator/placing.ts';
import type { Daemon } from './daemon-pods.ts';

/** The daemons that a new node will carry, and the daemons that get no place on it. */
export interface NodeDaemons {
  readonly pods: readonly Pod[];
  readonly without: readonly { readonly daemon: Daemon; readonly why: string }[];
}

/**
 * Puts daemons onto an empty node as kube-scheduler would, one after the other. One that gets no place would be pending on a real
 * node, and takes nothing from it; here it must not take anything either, or no node of the group would ever do for any pod.
 *
 * @param daemons as `daemonsOf` orders them.
 */
export function scheduleDaemons(
  daemons: readonly Daemon[],
  info: NodeInfo,
  { snapshot, scheduler }: SnapshotScheduler,
): NodeDaemons {
  const pods: Pod[] = [];
  const kinds: PodKind[] = [];
  const refused: { readonly daemon: Daemon; readonly why: string; readonly kind: PodKind | null }[] = [];
  for (const daemon of daemons) {
    if (daemon.excess !== null) {
      refused.push({ daemon, why: `its pod is not simulated: ${daemon.excess}`, kind: null });
      continue;
    }
    const kind = snapshot.kindOf(daemon.pod);
    const no = isMirror(daemon.pod) ? null : scheduler.check(kind, info);
    if (no === null) {
      snapshot.place(kind, info);
      pods.push(daemon.pod);
      kinds.push(kind);
    } else {
      refused.push({ daemon, why: no.reasons.join(', '), kind });
    }
  }
  if (refused.length === 0) {
    return { pods, without: [] };
  }
  snapshot.fork();
  kinds.forEach((kind) => snapshot.remove(kind, info));
  const without = refused.map(({ daemon, why, kind }) => {
    if (kind === null) {
      return { daemon, why };
    }
    const isAlone = scheduler.check(kind, info) !== null;
    const what = isAlone ? 'does not fit an empty node' : 'does not fit together with the DaemonSet pods before it';
    return { daemon, why: `its pod ${what}: ${clip(why, LONGEST_WHY)}` };
  });
  snapshot.revert();
  return { pods, without };
}

const LONGEST_WHY = 120;
