import { plainSpec } from '../cluster/pod-spec.ts';
import type { DaemonSet } from '../cluster/workload.ts';

const TOLERATE_ALL = [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }];

/** The DaemonSets that EKS runs on every node. */
export const EKS_DAEMON_SETS: readonly DaemonSet[] = [
  {
    namespace: 'kube-system',
    name: 'aws-node',
    spec: plainSpec({ cpu: 50 }, { tolerations: TOLERATE_ALL, priority: 2_000_001_000 }),
  },
  {
    namespace: 'kube-system',
    name: 'kube-proxy',
    spec: plainSpec({ cpu: 100 }, { tolerations: TOLERATE_ALL, priority: 2_000_001_000 }),
  },
];
