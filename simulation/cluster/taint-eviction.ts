import type { NodeName } from '@outrigger/core/model/values/names.ts';
import { isDaemon, isFinished, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import { type DurationMs, seconds } from '@outrigger/core/model/values/time.ts';
import type { ApiServer } from './api-server.ts';
import type { Clock } from '../clock.ts';
import { isSimulatedNodeReady } from './node-readiness.ts';
import type { BoundPodEvents } from '../world-event.ts';

/** The toleration of `not-ready:NoExecute` that Kubernetes gives to each pod without one (`DefaultTolerationSeconds`). */
const TOLERATED: DurationMs = seconds(300);

/**
 * Simulates the taint eviction controller: the pods of a node that has not been ready for five minutes are deleted, whatever
 * their budgets say. Their controllers replace them; the pods themselves stay until the kubelet reports again, or the Node is gone.
 */
export function startTaintEviction(clock: Clock, api: ApiServer, { emit, aboutBound }: BoundPodEvents): void {
  const since = new Map<NodeName, object>();
  const takeAway = (name: NodeName): void => {
    for (const [key, pod] of api.pods) {
      if (pod.nodeName === name && !staysOn(pod)) {
        emit({ kind: 'PodTakenAway', ...aboutBound(pod) });
        api.updatePod(key, (before) => ({ ...before, ready: false, deletedAt: clock.now() }));
      }
    }
  };
  api.watch({
    node: (node, before) => {
      if (isSimulatedNodeReady(node)) {
        since.delete(node.name);
      } else if (isSimulatedNodeReady(before)) {
        const spell = {};
        since.set(node.name, spell);
        clock.after(TOLERATED, () => {
          if (since.get(node.name) === spell) {
            takeAway(node.name);
          }
        });
      }
    },
    nodeDeleted: ({ name }) => {
      since.delete(name);
    },
  });
}

const staysOn = (pod: Pod): boolean =>
  isDaemon(pod) || isFinished(pod) || pod.deletedAt !== null || pod.spec.tolerations.some(({ key }) => key === '');
