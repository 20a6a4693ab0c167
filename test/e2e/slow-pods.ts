import type { V1Deployment } from '@kubernetes/client-node';
import { onTestFinished } from 'vitest';
import type { E2eCluster } from './cluster.ts';
import { untilReady } from './ready.ts';
import { END_DELAY, READY_DELAY } from './servers/kwok-stages.ts';

/** Pods that take a while to end. */
export interface SlowPods {
  readonly replicas: number;
  readonly cpu: string;
  readonly endSeconds: number;
}

/** Creates spread pods of a Deployment `web`, of which one may be away at a time: their drain takes a while. */
export async function createSlowPods(cluster: E2eCluster, { replicas, cpu, endSeconds }: SlowPods): Promise<void> {
  const { kube, name } = cluster;
  const budgets = `/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`;
  onTestFinished(() => kube.removeAll(budgets));
  const labels = { app: 'web' };
  const selector = { matchLabels: labels };
  await kube.create<V1Deployment>(`/apis/apps/v1/namespaces/${name}/deployments`, {
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector,
      template: {
        metadata: { labels, annotations: { [READY_DELAY]: '700ms', [END_DELAY]: `${endSeconds}s` } },
        spec: {
          terminationGracePeriodSeconds: 2 * endSeconds,
          containers: [
            { name: 'main', image: 'registry.test/main', resources: { requests: { cpu, memory: '128Mi' } } },
          ],
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: selector,
            },
          ],
        },
      },
    },
  });
  await kube.create(budgets, { metadata: { name: 'web' }, spec: { selector, maxUnavailable: 1 } });
  await untilReady(cluster, replicas);
}
