import { keyOf } from '../../../core/model/cluster/pod.ts';
import { hasEnded } from '../../../core/model/drain.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import { isAtItsEnd } from '../deadlines.ts';
import { watchLeftBehind } from '../left-behind.ts';
import type { Invariant } from './invariant.ts';

/**
 * No pod is lost with an instance: where a drain ends one, its node bears the taint that keeps pods away, and nothing is
 * on it that would have to move, unless the cloud has announced the instance's end and the time has come. No instance
 * is ended twice, unless it has stayed in spite of the first time.
 */
export const endedWithCare: Invariant = {
  name: 'nothing is terminated with a pod that has to move',
  // Whether a pod is overdue is judged by its deletion's time, which another host has set.
  assumes: ['skew'],
  watch: (stage, violate) => {
    const {
      world: { api },
      drains,
    } = stage;
    const leftBehind = watchLeftBehind(stage);
    const ended = new Set<string>();
    return {
      event: (event) => {
        leftBehind.event(event);
        if (
          event.kind === 'TerminationUndone' ||
          event.kind === 'TerminationMissed' ||
          event.kind === 'ReturnedToWarmPool'
        ) {
          ended.delete(event.instance);
        }
        if (event.kind !== 'InstanceTerminated') {
          return;
        }
        const { instance, node: name, at } = event;
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
        const left = isAtItsEnd(stage, instance, at) ? [] : leftBehind.on(node.name, [drain]);
        if (left.length > 0) {
          violate(`${instance} is ended with pods on ${name}: ${left.map(keyOf).join(', ')}`);
        }
      },
    };
  },
};
