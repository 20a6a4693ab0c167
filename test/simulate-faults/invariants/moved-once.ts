import { hasEnded } from '../../../core/model/drain.ts';
import type { State } from '../../../core/model/state.ts';
import type { InstanceId, NodeName } from '../../../core/model/values/names.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { Invariant } from './invariant.ts';

const HOUR = minutes(60);

/**
 * No pod is moved twice within an hour by consolidation. Of the pods of a workload, the one that is created next stands in
 * for the one that was moved first, and goes on doing so whatever evicts it.
 */
export const movedOnce: Invariant = {
  name: 'no pod is moved twice within an hour by consolidation',
  judgesOn: ['aws', 'clusterapi'],
  watch: ({ world, orders, drains, strikes }, violate, judge) => {
    const { api, clock } = world;
    /** The nodes that a decision consolidates, by the state that it leads to. */
    const deciding = new WeakMap<State, ReadonlySet<NodeName>>();
    /** When it was ordered to consolidate the node of each instance. */
    const ordered = new Map<InstanceId, EpochMs>();
    /** Of each workload: when those were moved that others are to be created for. */
    const awaited = new Map<string, EpochMs[]>();
    /** When the pod was moved that this one stands in for. */
    const movedAt = new Map<string, EpochMs>();
    return {
      decided: (_told, decision) => {
        const nodes = decision.scaleDown.removals.flatMap(({ node, reason }) =>
          reason === 'Underutilized' ? node : [],
        );
        if (nodes.length > 0) {
          deciding.set(decision.state, new Set(nodes));
        }
      },
      committed: ({ state, intents }) => {
        const nodes = deciding.get(state) ?? new Set();
        for (const intent of intents) {
          for (const { node, instance, kind } of intent.kind === 'RemoveNodes' ? intent.nodes : []) {
            if (nodes.has(node) && kind === 'drain') {
              ordered.set(instance, clock.now());
            }
          }
        }
      },
      event: (event) => {
        if (event.kind === 'PodCreated') {
          const at = awaited.get(event.workload)?.shift();
          const uid = api.pods.get(event.pod)?.uid;
          if (at !== undefined && uid !== undefined) {
            movedAt.set(uid, at);
          }
        }
        if (event.kind !== 'PodEvicted') {
          return;
        }
        const uid = api.pods.get(event.pod)!.uid;
        const before = movedAt.get(uid);
        const drain = drains().find((one) => one.drain.node === event.node && !hasEnded(one.drain))?.drain;
        const at = drain === undefined ? undefined : ordered.get(drain.instance);
        if (at !== undefined) {
          // What was stored of it is lost.
          const isForgotten = before !== undefined && Math.max(orders.lostAt(), strikes.last('state')) >= before;
          judge(isForgotten);
          if (before !== undefined && at - before < HOUR && !isForgotten) {
            violate(`${event.pod} is moved ${(at - before) / 1_000} s after the pod that it stands in for`);
          }
        }
        const again = at ?? before;
        if (again !== undefined && api.pods.get(event.pod)!.controller !== null) {
          awaited.set(event.workload, [...(awaited.get(event.workload) ?? []), again]);
        }
      },
    };
  },
};
