import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { KubernetesMinor } from '../../core/model/cluster/kubernetes-version.ts';
import { type ApiServer, healthy, startApiServer } from '../e2e/servers/api-server.ts';
import { kubernetesServers, type KubernetesVersion } from '../e2e/servers/kubernetes.ts';
import { freePorts, ready } from '../e2e/servers/server-process.ts';
import { WITH_POD_GROUPS } from './cluster.ts';

/**
 * Starts an API server and a kube-scheduler, and nothing that changes objects on its own. The scheduler has its default
 * filter plugins; it does not preempt, and asks `extender` about the nodes that pass, which is how these become known.
 */
export async function startScheduler(
  version: KubernetesVersion,
  folder: string,
  logs: string,
  extender: string,
): Promise<ApiServer> {
  const servers = await kubernetesServers(version);
  const api = await startApiServer(servers, {
    folder,
    logs,
    args: [...servers.gates, ...servers.apiServerArgs],
    // No controller here uses or removes what these add: tokens, taints of new nodes, finalizers.
    disabledAdmission: ['ServiceAccount', 'TaintNodesByCondition', 'StorageObjectInUseProtection'],
  });
  try {
    const [port] = (await freePorts(1)) as [number];
    const configuration = path.join(folder, 'scheduler.json');
    const certificates = path.join(folder, 'scheduler-certificates');
    await writeFile(configuration, JSON.stringify(schedulerConfiguration(api.kubeconfig, extender, servers.minor)));
    const scheduler = api.start('kube-scheduler', path.join(servers.controlPlane, 'kube-scheduler'), [
      ...servers.gates,
      `--config=${configuration}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${certificates}`,
    ]);
    await ready(scheduler, () => healthy(port, path.join(certificates, 'kube-scheduler.crt')));
    return api;
  } catch (error) {
    await api.stop();
    throw error;
  }
}

const OFF = { disabled: [{ name: '*' }] };

const schedulerConfiguration = (kubeconfig: string, extender: string, minor: KubernetesMinor) => ({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  leaderElection: { leaderElect: false },
  clientConnection: { kubeconfig, qps: 1000, burst: 2000 },
  profiles: [
    {
      schedulerName: 'default-scheduler',
      plugins: { postFilter: OFF, ...(minor >= WITH_POD_GROUPS && { podGroupPostFilter: OFF }) },
    },
  ],
  extenders: [{ urlPrefix: extender, filterVerb: 'filter', nodeCacheCapable: true, httpTimeout: '60s' }],
});
