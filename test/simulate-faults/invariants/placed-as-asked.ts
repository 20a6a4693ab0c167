import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { isFinished, keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import { nodeUnits } from '../node-sizes.ts';
import { BOUND_TO_LABEL, poolOfNode, SKEW_LABEL } from '../pools.ts';
import { podsByZone, skewOf } from '../skewed-zones.ts';
import { isSpreadOverNodes, takenBy } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/**
 * The simulated scheduler puts a pod only where its scenario lets it run. It filters nodes with the same plugins that the
 * functions plan with, so an error of theirs would go unnoticed: what the scenario asked for is read from the labels
 * that it gives its pods, and counted here without any of them.
 */
export const placedAsAsked: Invariant = {
  name: 'pods run only where they may',
  watch: ({ scenario: { pools }, world: { api } }, violate, count) => ({
    event: (event) => {
      const pod = event.kind === 'PodBound' ? api.pods.get(event.pod) : undefined;
      const node = pod?.nodeName == null ? undefined : api.nodes.get(pod.nodeName);
      const pool = poolOfNode(pools, node);
      if (pod === undefined || node === undefined || pool === undefined) {
        return;
      }
      count(true);
      const zone = pod.labels[BOUND_TO_LABEL];
      if (zone !== undefined && node.labels[ZONE_LABEL] !== zone) {
        violate(`${keyOf(pod)} is bound to ${zone}, and runs on ${node.name} in ${node.labels[ZONE_LABEL]}`);
      }
      const there = [...api.pods.values()].filter((one) => one.nodeName === node.name && !isFinished(one));
      const used = there.reduce((sum, one) => sum + takenBy(one), 0);
      if (used > nodeUnits(pool, node)) {
        violate(`${node.name} holds ${nodeUnits(pool, node)} units, and has pods of ${used}`);
      }
      const apart =
        pool.skew === undefined || pod.labels[SKEW_LABEL] === undefined
          ? 0
          : skewOf(node.labels[ZONE_LABEL]!, podsByZone(pools, pool, api.nodes.values(), api.pods.values()), pool.skew);
      if (apart > (pool.skew?.maxSkew ?? 0)) {
        violate(
          `${keyOf(pod)} runs on ${node.name} in ${node.labels[ZONE_LABEL]}, which has ${apart} pods more than another zone`,
        );
      }
      if (there.some((one) => one !== pod && keepsApart(pod, one))) {
        violate(`${keyOf(pod)} runs on ${node.name} beside another pod of its workload, and is to be apart`);
      }
    },
  }),
};

/** Is this pod to be on another node than that one? */
const keepsApart = (pod: Pod, other: Pod): boolean =>
  other.labels['app'] === pod.labels['app'] &&
  (pod.spec.podAntiAffinity.some(({ topologyKey }) => topologyKey === HOSTNAME_LABEL) ||
    (isSpreadOverNodes(pod) && other.deletedAt === null));
