import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { PLAIN_POD_SPEC, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import { CPU } from '@outrigger/core/model/values/resources.ts';

/**
 * The kube-proxy mirror pod that Cluster Autoscaler adds to every template without a live node: 100m of CPU. Where
 * kube-proxy is a DaemonSet, as EKS installs it, this is a small reserve for other pods of the image.
 */
export function kubeProxy(node: Node): Pod {
  return {
    namespace: 'kube-system',
    name: `kube-proxy-${node.name}`,
    uid: '',
    labels: { component: 'kube-proxy' },
    annotations: {
      'kubernetes.io/config.mirror': '',
      'kubernetes.io/config.seen': '',
      'kubernetes.io/config.source': 'api',
    },
    createdAt: null,
    deletedAt: null,
    controller: null,
    nodeName: node.name,
    nominatedNodeName: null,
    phase: 'Running',
    unscheduled: null,
    startedAt: null,
    ready: true,
    resize: null,
    spec: {
      ...PLAIN_POD_SPEC,
      containers: [{ name: 'kube-proxy', requests: { [CPU]: 100 }, hostPorts: [], restartable: false }],
      tolerations: [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }],
      priority: 2_000_001_000, // system-node-critical
    },
  };
}
