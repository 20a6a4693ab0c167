import { isDaemon, isFinished, isMirror, keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import { type Drain, hasEnded } from '../../../core/model/drain.ts';
import type { PodKey } from '../../../core/model/values/names.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import { type EpochMs, seconds } from '../../../core/model/values/time.ts';
import { MAX_DELAY_MS, MAX_LAG_MS } from '../world-faults.ts';
import type { Invariant } from './invariant.ts';

/** From the last read of a node to the end of its instance: two calls, each as slow as they get. */
const READ_AGE_MS = 3 * MAX_DELAY_MS + MAX_LAG_MS;
/** A pod that has not ended this long after its grace period will not: it is not waited for. */
const OVERDUE_MS = 30_000;

/**
 * No pod is lost with an instance: where a drain ends one, its node bears the taint that keeps pods away, and nothing is
 * on it that would have to move – all but pods of DaemonSets, static ones, and those that have run to their end. No instance
 * is ended twice, unless it has stayed in spite of the first time.
 *
 * A pod that tolerates the taint may come between the last read and the end: nothing can prevent that. One that has come in
 * the place of another one that was evicted here would do so for ever, and may end with the instance. So may every one that
 * tolerates the shared taint, where that is used: it says so of itself (`budgetsKept` counts them all).
 */
export const endedWithCare: Invariant = {
  name: 'nothing is terminated with a pod that has to move',
  // Whether a pod is overdue is judged by its deletion's time, which another host has set.
  assumes: ['skew'],
  watch: ({ scenario: { options }, world: { api, clock }, drains }, violate) => {
    const boundAt = new Map<PodKey, EpochMs>();
    const ended = new Set<string>();
    const cameLate = (pod: Pod): boolean =>
      pod.spec.tolerations.length > 0 && clock.now() - (boundAt.get(keyOf(pod)) ?? 0) < READ_AGE_MS;
    const isOverdue = ({ deletedAt, spec }: Pod): boolean =>
      deletedAt !== null && clock.now() - deletedAt > seconds(spec.terminationGracePeriodSeconds) + OVERDUE_MS;
    return {
      event: (event) => {
        if (event.kind === 'PodBound') {
          boundAt.set(event.pod, event.at);
        }
        if (event.kind === 'TerminationUndone' || event.kind === 'TerminationMissed') {
          ended.delete(event.instance);
        }
        if (event.kind !== 'InstanceTerminated') {
          return;
        }
        const { instance, node: name } = event;
        if (ended.has(instance)) {
          violate(`${instance} is ended a second time`);
        }
        ended.add(instance);
        const node = name === null ? undefined : api.nodes.get(name);
        const drain = drains().find((one) => one.drain.instance === instance && !hasEnded(one.drain))?.drain;
        if (node === undefined || drain === undefined) {
          return;
        }
        if (!isBeingRemoved(node)) {
          violate(`${instance} is ended, and its node ${node.name} does not bear the taint of a removal`);
        }
        const left = [...api.pods.values()].filter(
          (pod) =>
            pod.nodeName === name &&
            !isDaemon(pod) &&
            !isMirror(pod) &&
            !isFinished(pod) &&
            !cameLate(pod) &&
            !isOverdue(pod) &&
            !isBack(pod, drain) &&
            !(options.nodeLifecycleTaints && pod.spec.tolerations.length > 0),
        );
        if (left.length > 0) {
          violate(`${instance} is ended with pods on ${name}: ${left.map(keyOf).join(', ')}`);
        }
      },
    };
  },
};

const isBack = ({ controller, spec }: Pod, { evictions }: Drain): boolean =>
  spec.tolerations.length > 0 && evictions.some(({ manifest }) => manifest.controller?.uid === controller?.uid);
