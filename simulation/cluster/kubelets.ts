import { getOptional } from '@outrigger/core/model/values/optional.ts';
import type { NodeName } from '@outrigger/core/model/values/names.ts';
import { isFinished, keyOf, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { DurationMs } from '@outrigger/core/model/values/time.ts';
import type { ApiServer } from './api-server.ts';
import type { Chance } from '../chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { Clock } from '../clock.ts';
import { isSimulatedNodeReady } from './node-readiness.ts';
import type { BoundPodEvents } from '../world-event.ts';
import type { WorldFaults } from '../world-faults.ts';

/** From a pod's binding to its containers' being ready: volumes, network, image, start, first probe. */
const POD_START: Span = { min: 900, max: 3_500 };

/** From a pod's eviction to its end. */
const POD_STOP: Span = { min: 800, max: 12_000 };

interface KubeletsOptions extends BoundPodEvents {
  readonly clock: Clock;
  readonly api: ApiServer;
  readonly chance: Chance;
  readonly faults: Pick<WorldFaults, 'podStop'>;
  readonly runsFor: (pod: Pod) => DurationMs | null;
  /** Calls back when the volumes of a pod are attached to its node. */
  readonly whenAttached: (pod: Pod, then: () => void) => void;
}

/** Starts playing the kubelets: pods that are bound to a ready node start, run, and end if that is their nature. */
export function startKubelets(options: KubeletsOptions): void {
  const { clock, api, chance, faults, runsFor, whenAttached, emit, aboutBound } = options;
  const begin = (pod: Pod): void => whenAttached(pod, () => startContainers(pod));
  const startContainers = (pod: Pod): void => {
    const key = keyOf(pod);
    clock.after(chance.within(POD_START), () => {
      const current = api.pods.get(key);
      if (current?.uid !== pod.uid || current.phase !== 'Pending') {
        return;
      }
      api.updatePod(key, (before) => ({ ...before, phase: 'Running', ready: true, startedAt: clock.now() }));
      emit({ kind: 'PodRunning', ...aboutBound(current) });
      const length = runsFor(pod);
      if (length !== null) {
        clock.after(length, () => end(pod));
      }
    });
  };

  const end = (pod: Pod): void => {
    const current = api.pods.get(keyOf(pod));
    if (current?.uid === pod.uid && !isFinished(current)) {
      api.updatePod(keyOf(pod), (before) => ({ ...before, phase: 'Succeeded', ready: false }));
    }
  };

  /** Only the kubelet of its node ends a pod: while that is silent the pod stays, or until its Node is deleted. */
  const stopping = new Map<NodeName, Pod[]>();
  const goes = (pod: Pod): void => {
    const node = getOptional(api.nodes, pod.nodeName);
    if (node !== undefined && !isSimulatedNodeReady(node)) {
      stopping.set(node.name, [...(stopping.get(node.name) ?? []), pod]);
    } else if (api.pods.get(keyOf(pod))?.uid === pod.uid) {
      api.deletePod(keyOf(pod));
    }
  };

  api.watch({
    pod: (pod, before) => {
      if (pod.deletedAt !== null && (before === null || before.deletedAt === null)) {
        const stop = Math.min(chance.within(POD_STOP), pod.spec.terminationGracePeriodSeconds * 1_000);
        clock.after(stop + faults.podStop(), () => goes(pod));
        return;
      }
      if (before?.nodeName !== pod.nodeName && isSimulatedNodeReady(getOptional(api.nodes, pod.nodeName))) {
        begin(pod);
      }
    },
    node: (node, before) => {
      if (isSimulatedNodeReady(node) && !isSimulatedNodeReady(before)) {
        const stopped = stopping.get(node.name) ?? [];
        stopping.delete(node.name);
        stopped.forEach(goes);
        for (const pod of api.pods.values()) {
          if (pod.nodeName === node.name && pod.phase === 'Pending') {
            begin(pod);
          }
        }
      }
    },
  });
}
