import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { onTestFinished } from 'vitest';
import type { E2eCluster } from './cluster.ts';
import { isReady } from './ready.ts';
import { END_DELAY, READY_DELAY } from './servers/kwok-stages.ts';

/** Spread pods of a Deployment `web`, of which one may be away at a time and takes five seconds to end: their drain takes a while. */
export async function createSlowPods({ kube, name }: E2eCluster, replicas: number, cpu: string): Promise<void> {
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
        metadata: { labels, annotations: { [READY_DELAY]: '700ms', [END_DELAY]: '5s' } },
        spec: {
          terminationGracePeriodSeconds: 10,
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
  await kube.until<V1Pod>(`/api/v1/namespaces/${name}/pods`, {
    what: `${replicas} pods, all ready`,
    holds: (pods) => pods.length === replicas && pods.every(isReady),
  });
}
