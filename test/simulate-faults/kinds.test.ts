import { describe, expect, test } from 'vitest';
import type { Node } from '../../core/model/cluster/node.ts';
import { isDaemon, type Pod } from '../../core/model/cluster/pod.ts';
import type { Controller } from '../../core/model/cluster/workloads.ts';
import { epochMs } from '../../core/model/values/time.ts';
import type { ClusterObservation } from '../../core/ports/cluster.ts';
import { type Broken, findingOf, withGroups } from './broken.ts';
import { GPUS } from './gpus.ts';
import { keptPodsStay } from './invariants/kept-pods-stay.ts';
import { recovers } from './invariants/recovers.ts';
import type { Tamper } from './run.ts';
import { ZONE_SKEW } from './zone-skew.ts';
import { ZONE_AFFINITY } from './zones.ts';

/** Pods are read otherwise than they are. */
const withPods = (change: (pod: Pod) => Pod, more: readonly Controller[] = []): Tamper => ({
  world: (world) => {
    const { reader } = world;
    const changed = <Seen extends ClusterObservation>(seen: Seen): Seen => ({
      ...seen,
      objects: {
        ...seen.objects,
        pods: seen.objects.pods.map(change),
        controllers: [...seen.objects.controllers, ...more],
      },
    });
    return {
      ...world,
      reader: {
        ...reader,
        read: async (...call) => changed(await reader.read(...call)),
        readNode: async (...call) => changed(await reader.readNode(...call)),
      },
    };
  },
});

const OWNER: Controller = {
  kind: 'ReplicaSet',
  namespace: 'default',
  name: 'keeper',
  uid: 'keeper',
  replicas: 9,
  template: null,
};
const BY_OWNER = { apiVersion: 'apps/v1', kind: OWNER.kind, name: OWNER.name, uid: OWNER.uid };

const withoutGpus = ({ allocatable: { 'nvidia.com/gpu': _gpus, ...allocatable }, ...node }: Node): Node => ({
  ...node,
  allocatable,
});

const WITHOUT_GPUS = withGroups((groups) =>
  groups.map((group) =>
    group.template === null
      ? group
      : { ...group, template: { ...group.template, node: withoutGpus(group.template.node) } },
  ),
);

const CASES: readonly Broken[] = [
  {
    name: 'pods that nobody makes anew are thought to have a controller',
    from: 11,
    tamper: withPods((pod) => (pod.controller === null ? { ...pod, controller: BY_OWNER } : pod), [OWNER]),
    draw: ['bare pods'],
    found: keptPodsStay,
  },
  {
    name: 'pods of kube-system are thought to be older than they are',
    from: 3,
    tamper: withPods((pod) =>
      pod.namespace === 'kube-system' && !isDaemon(pod) ? { ...pod, createdAt: epochMs(0) } : pod,
    ),
    draw: ['kube-system pods'],
    found: keptPodsStay,
  },
  {
    name: 'topology spread constraints are not read',
    tamper: withPods((pod) => ({ ...pod, spec: { ...pod.spec, topologySpread: [] } })),
    draw: ['spread over nodes'],
    from: 26,
    found: recovers,
  },
  {
    name: 'pods are thought to be spread over zones in which they may not run',
    tamper: withPods((pod) => ({
      ...pod,
      spec: {
        ...pod.spec,
        topologySpread: pod.spec.topologySpread.map((one) => ({ ...one, nodeAffinityPolicy: 'Ignore' })),
      },
    })),
    draw: [ZONE_AFFINITY, 'spread over zones'],
    found: recovers,
  },
  {
    name: 'pods are thought to be spread more evenly over zones than they have to be',
    tamper: withPods((pod) => ({
      ...pod,
      spec: { ...pod.spec, topologySpread: pod.spec.topologySpread.map((one) => ({ ...one, minDomains: 9 })) },
    })),
    draw: [ZONE_SKEW],
    found: recovers,
  },
  {
    name: 'new nodes are described without their GPUs',
    from: 4,
    tamper: WITHOUT_GPUS,
    draw: [GPUS],
    found: recovers,
  },
  {
    name: 'new nodes are described without their GPUs on Cluster API',
    provider: 'clusterapi',
    from: 14,
    tamper: WITHOUT_GPUS,
    draw: [GPUS],
    found: recovers,
  },
];

describe('what is broken on purpose is found', () => {
  test.each(CASES)('$name', async (broken) => {
    expect(await findingOf(broken)).not.toBeNull();
  });
});
