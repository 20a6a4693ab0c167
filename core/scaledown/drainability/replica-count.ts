import { isDaemon } from '../../model/cluster/pod.ts';
import { ownKindOf } from '../../model/cluster/workloads.ts';
import type { DrainRule } from './rule.ts';
import { block } from './outcome.ts';

/** Kubernetes' own kinds of which every object is known; those of other API groups cannot be said to be gone. */
const KNOWN: ReadonlySet<string | null> = new Set([
  'ReplicationController',
  'ReplicaSet',
  'StatefulSet',
  'Job',
  'DaemonSet',
]);

/** Kinds that `minReplicaCount` is about. */
const COUNTED: ReadonlySet<string> = new Set(['ReplicationController', 'ReplicaSet']);

/**
 * A pod whose controller is gone comes back nowhere, and one of a controller with few replicas is missed. Asked only
 * with `skipNodesWithCustomControllerPods`, as in Cluster Autoscaler, which counts the replicas of ReplicaSets and
 * ReplicationControllers alone.
 */
export const replicaCount: DrainRule = {
  name: 'replicaCount',
  decide: (pod, { options, controllers }) => {
    if (!options.skipNodesWithCustomControllerPods || pod.controller === null) {
      return null;
    }
    const { kind, name } = pod.controller;
    // A pod that is declared to be like a DaemonSet's is not asked for the controller that it really has.
    if (!KNOWN.has(ownKindOf(pod.controller)) || (kind !== 'DaemonSet' && isDaemon(pod))) {
      return null;
    }
    const controller = controllers(pod);
    if (controller === null) {
      return block('ControllerNotFound', `its ${kind} ${name} does not exist`);
    }
    const { replicas } = controller;
    if (!COUNTED.has(kind) || replicas === null || replicas >= options.minReplicaCount) {
      return null;
    }
    return block(
      'MinReplicasReached',
      `its ${kind} ${name} has ${replicas} desired replicas, fewer than ${options.minReplicaCount}`,
    );
  },
};
