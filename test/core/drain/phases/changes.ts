import { daemonPod, NO_ROOM, type OneNodeWorld, webPod } from '../one-node-world.ts';

export const failed = { kind: 'failed', code: '403', message: 'may not patch nodes' } as const;

export const annotated = (world: OneNodeWorld, key: string, value = 'true'): void => {
  world.node = { ...world.node!, annotations: { ...world.node!.annotations, [key]: value } };
};

/** Changes that may have happened since the decision. */
export const CHANGES: readonly (readonly [string, (world: OneNodeWorld) => void, string, string | RegExp])[] = [
  ['the node is gone', (world) => (world.node = null), 'Gone', 'the node is gone'],
  ['another node has its name', (world) => (world.node = { ...world.node!, uid: 'x' }), 'Gone', 'the node is gone'],
  ['the instance is being ended', (world) => (world.instance = 'ending'), 'Gone', 'its instance is terminating'],
  ['the instance has left', (world) => (world.instance = 'gone'), 'Gone', 'its instance is not in its node group'],
  [
    'the instance was put into Standby',
    (world) => (world.instance = 'aside'),
    'Gone',
    'its instance is not in its node group',
  ],
  [
    'the group is at its minimum',
    (world) => (world.min = 3),
    'NoLongerRemovable',
    'node group web is at its minimum of 3',
  ],
  [
    'the group has no more instances than its minimum, whatever its target',
    (world) => {
      world.min = 1;
      world.missing = 2;
    },
    'NoLongerRemovable',
    'node group web is at its minimum of 1',
  ],
  [
    'scale-down is disabled for the node',
    (world) => annotated(world, 'cluster-autoscaler.kubernetes.io/scale-down-disabled'),
    'NoLongerRemovable',
    /scale-down-disabled/,
  ],
  [
    'the node is not to be disrupted',
    (world) => annotated(world, 'node-lifecycle.kubernetes.io/do-not-disrupt'),
    'NoLongerRemovable',
    /do-not-disrupt/,
  ],
  ['the taint was removed', (world) => (world.node = { ...world.node!, taints: [] }), 'NoLongerRemovable', /taken off/],
  [
    'a pod cannot be read',
    (world) => world.unreadable.push('Pod default/odd'),
    'NoLongerRemovable',
    'a pod on it cannot be read: Pod default/odd',
  ],
  [
    'a pod without a controller has come',
    (world) => world.pods.push({ ...webPod('bare'), controller: null }),
    'NoLongerRemovable',
    /^NotReplicated: /,
  ],
  [
    'a pod is to be waited for',
    (world) =>
      world.pods.push(
        webPod('batch', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'on-completion' } }),
      ),
    'NoLongerRemovable',
    'the node must wait until it has completed',
  ],
  [
    'a pod is not to be evicted',
    (world) =>
      world.pods.push(webPod('db', { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } })),
    'NoLongerRemovable',
    /^NotSafeToEvictAnnotation: /,
  ],
  [
    'a pod of a DaemonSet is not to be disrupted',
    (world) => world.pods.push(daemonPod('agent-1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })),
    'NoLongerRemovable',
    /^DoNotDisrupt: /,
  ],
  [
    'a budget is used up',
    (world) => {
      world.pods.push(webPod('web-1', { labels: { app: 'web' } }));
      world.budgets.push(NO_ROOM);
    },
    'NoLongerRemovable',
    /^NotEnoughPdb: /,
  ],
];
