import { keyOf } from '../../../core/model/cluster/pod.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { isAtItsEnd } from '../deadlines.ts';
import { watchLeftBehind } from '../left-behind.ts';
import { MAX_LIST_AGE_MS } from '../world-faults.ts';
import type { Invariant } from './invariant.ts';

/** A Node that has come so lately may not have been there when its instance was last looked at. */
const READ_AGE_MS = minutes(1.5);
/** A node without its taint may still have had the taint when the function last read the node. */
const READ_MS = 5_000;
/** The same for what goes wrong with a read, in milliseconds. */
const SLOW_READS_MS = { 'slow call': 48_000, 'slow list': READ_MS + MAX_LIST_AGE_MS } as const;

/**
 * No pod is lost with an instance that Outrigger terminates: its node has the taint that keeps pods away, and no pod on it would
 * have to move, unless the cloud has announced the end of the instance and the time has come. No instance is terminated
 * twice, unless it has stayed in spite of the first time.
 */
export const endedWithCare: Invariant = {
  name: 'nothing is terminated with a pod that has to move',
  // Whether a pod is overdue is judged by its deletion's time, which another host has set.
  assumes: ['skew'],
  watch: (stage, violate, count) => {
    const { api } = stage.world;
    const leftBehind = watchLeftBehind(stage);
    const ended = new Set<string>();
    /** From the last read of a node to the end of its instance: slow calls and lists take longer. */
    const readAge = (at: EpochMs): number =>
      Math.max(
        READ_MS,
        ...(['slow call', 'slow list'] as const).map((kind) =>
          at - stage.strikes.last(kind) > SLOW_READS_MS[kind] ? READ_MS : SLOW_READS_MS[kind],
        ),
      );
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
        const { group, instance, node: name, at } = event;
        if (ended.has(instance)) {
          violate(`${instance} of ${group} is terminated a second time`);
        }
        ended.add(instance);
        const node = name === null ? undefined : api.nodes.get(name);
        const isKnown =
          node !== undefined &&
          at - (node.createdAt ?? 0) > READ_AGE_MS &&
          (isBeingRemoved(node) || at - leftBehind.untaintedAt(node.name) > readAge(at));
        count(isKnown);
        if (!isKnown) {
          return;
        }
        if (!isBeingRemoved(node)) {
          violate(`${instance} of ${group} is terminated, and its node ${node.name} has no taint of a removal`);
        }
        const drains = stage.drains().flatMap(({ drain }) => (drain.instance === instance ? drain : []));
        const left = isAtItsEnd(stage, instance, at) ? [] : leftBehind.on(node.name, drains);
        if (left.length > 0) {
          violate(`${instance} of ${group} is terminated with pods on ${name}: ${left.map(keyOf).join(', ')}`);
        }
      },
    };
  },
};
