import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { KubernetesMinor } from '../../core/model/cluster/kubernetes-version.ts';
import { type ApiServer, healthy, startApiServer } from '../e2e/servers/api-server.ts';
import { ensureServers, type Servers } from '../e2e/servers/cache.ts';
import { freePorts, ready } from '../e2e/servers/server-process.ts';

interface SchedulerVersion {
  readonly minor: KubernetesMinor;
  readonly server: 'controlPlane' | 'scheduler';
  readonly apiServerArgs: readonly string[];
  readonly schedulerArgs: readonly string[];
}

/**
 * The versions of kube-scheduler. All of them ask the API server 1.35, which saves the build of another one: for 1.37 it
 * has the features whose fields that scheduler filters by, and the scheduler does without a resource that 1.35 lacks.
 */
export const VERSIONS = {
  '1.35': { minor: 35, server: 'controlPlane', apiServerArgs: [], schedulerArgs: [] },
  '1.37': {
    minor: 37,
    server: 'scheduler',
    apiServerArgs: [
      '--feature-gates=NodeDeclaredFeatures=true,RestartAllContainersOnContainerExits=true,InPlacePodLevelResourcesVerticalScaling=true,DRAExtendedResource=true',
    ],
    schedulerArgs: ['--feature-gates=DRADeviceTaintRules=false'],
  },
} as const satisfies Readonly<Record<string, SchedulerVersion>>;
export type Version = keyof typeof VERSIONS;

/**
 * Starts an API server and a kube-scheduler, and nothing that changes objects on its own. The scheduler has its default
 * filter plugins; it does not preempt, and asks `extender` about the nodes that pass, which is how these become known.
 */
export async function startScheduler(
  servers: Pick<Servers, 'etcd' | 'controlPlane'>,
  version: Version,
  folder: string,
  logs: string,
  extender: string,
): Promise<ApiServer> {
  const { server, apiServerArgs, schedulerArgs } = VERSIONS[version];
  const { [server]: commands } = await ensureServers([server]);
  const api = await startApiServer(servers, {
    folder,
    logs,
    args: apiServerArgs,
    // No controller here uses or removes what these add: tokens, taints of new nodes, finalizers.
    disabledAdmission: ['ServiceAccount', 'TaintNodesByCondition', 'StorageObjectInUseProtection'],
  });
  try {
    const [port] = (await freePorts(1)) as [number];
    const configuration = path.join(folder, 'scheduler.json');
    const certificates = path.join(folder, 'scheduler-certificates');
    await writeFile(configuration, JSON.stringify(schedulerConfiguration(api.kubeconfig, extender)));
    const scheduler = api.start('kube-scheduler', path.join(commands, 'kube-scheduler'), [
      ...schedulerArgs,
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

const schedulerConfiguration = (kubeconfig: string, extender: string) => ({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  leaderElection: { leaderElect: false },
  clientConnection: { kubeconfig, qps: 1000, burst: 2000 },
  profiles: [{ schedulerName: 'default-scheduler', plugins: { postFilter: { disabled: [{ name: '*' }] } } }],
  extenders: [{ urlPrefix: extender, filterVerb: 'filter', nodeCacheCapable: true, httpTimeout: '60s' }],
});
