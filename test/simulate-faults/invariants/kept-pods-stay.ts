import type { Pod } from '../../../core/model/cluster/pod.ts';
import { addTime, durationMs } from '../../../core/model/values/time.ts';
import { isSimulatedNodeReady } from '../../../simulation/cluster/node-readiness.ts';
import { MAX_SKEW_MS } from '../runtime.ts';
import type { Invariant } from './invariant.ts';

const SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';

/**
 * A pod that no controller makes anew keeps its node, and so does one of kube-system without a budget, as long as the options say:
 * neither is evicted, unless its annotation allows that, the cloud takes the node's instance back, or the node is broken.
 */
export const keptPodsStay: Invariant = {
  name: 'pods that would be lost or missed are not evicted',
  assumes: ['skew'],
  watch: (stage, violate, count) => {
    const {
      scenario: { options },
      world: { api, clock, scaling },
      announcements,
    } = stage;
    const isKept = ({ annotations, controller, namespace, createdAt }: Pod): boolean => {
      const until = addTime(createdAt!, durationMs(options.blockingSystemPodDistruptionTimeout - MAX_SKEW_MS));
      const isOfSystem = namespace === 'kube-system' && options.skipNodesWithSystemPods && clock.now() < until;
      return (
        annotations[SAFE_TO_EVICT] !== 'true' &&
        (controller === null || (controller.kind !== 'DaemonSet' && isOfSystem))
      );
    };
    return {
      event: (event) => {
        if (event.kind !== 'PodEvicted') {
          return;
        }
        const node = api.nodes.get(event.node);
        const instances = scaling
          .groups()
          // An instance in Standby, of which its group says nothing, is taken back as any other.
          .flatMap((group) => [...group.instances, ...(group.aside ?? [])])
          .filter((one) => one.node === event.node);
        const isSound =
          node !== undefined &&
          isSimulatedNodeReady(node) &&
          !instances.some(({ id, state }) => state === 'Deleting' || announcements.of(id).length > 0);
        count(isSound);
        if (isSound && isKept(api.pods.get(event.pod)!)) {
          violate(`${event.pod} is evicted from ${event.node}`);
        }
      },
    };
  },
};
