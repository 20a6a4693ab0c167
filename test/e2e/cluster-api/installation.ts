import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connection } from '../connection.ts';
import { kubeconfigOf, startApiServer } from '../servers/api-server.ts';
import { ensureServers } from '../servers/cache.ts';
import { createCrds, removeCrds, startClusterApi, type ClusterApiSettings } from '../servers/cluster-api.ts';
import { kube as connect, type Connection, type Kube } from '../servers/kube.ts';
import { afterAll, beforeAll } from 'vitest';
import { providerCrds } from './provider-crds.ts';
import { serverSet } from '../server-set.ts';

/** Cluster API with a provider of machines, running in an API server. */
export interface Installation {
  /** As an administrator. */
  readonly kube: Kube;
  /** Ends it, and takes it from the API server. */
  readonly stop: () => Promise<void>;
}

export async function installClusterApi(settings: ClusterApiSettings): Promise<Installation> {
  const clusterApi = await startClusterApi(await ensureServers(['clusterApi']), settings);
  const kube = connect(settings.connection);
  const crds = providerCrds();
  await createCrds(kube, crds);
  return {
    kube,
    async stop() {
      await removeCrds(kube, crds);
      await clusterApi.stop();
      kube.close();
    },
  };
}

/** Installs Cluster API into the API server of the tests, for those of one file. */
export function installClusterApiForTests(): void {
  let installation: Installation | undefined;
  beforeAll(async () => {
    installation = await installClusterApi({
      name: 'cluster-api',
      connection: connection(),
      kubeconfig: serverSet.kubeconfig,
      folder: path.join(path.dirname(serverSet.logs), 'cluster-api'),
      logs: serverSet.logs,
    });
  });
  afterAll(() => installation?.stop());
}

/** A management cluster of its own: an API server with Cluster API, and nothing that runs pods. */
export interface ManagementCluster extends Installation {
  /** As an administrator. */
  readonly connection: Connection;
  /** Path of a kubeconfig for Outrigger, whose user has no rights yet. */
  readonly outriggerKubeconfig: string;
}

/** The user of Outrigger there. */
export const MANAGEMENT_USER = 'outrigger-of-another-cluster';

/** State and logs lie in `folder`. */
async function startManagementCluster(folder: string): Promise<ManagementCluster> {
  const logs = path.join(folder, 'logs');
  await mkdir(logs, { recursive: true });
  const token = randomBytes(16).toString('hex');
  const api = await startApiServer(await ensureServers(['controlPlane', 'etcd']), {
    folder: path.join(folder, 'api'),
    logs,
    disabledAdmission: ['ServiceAccount'],
    users: [{ name: MANAGEMENT_USER, group: 'others', token }],
  });
  const outriggerKubeconfig = path.join(folder, 'outrigger.kubeconfig');
  await writeFile(outriggerKubeconfig, kubeconfigOf({ ...api.connection, token }), { mode: 0o600 });

  const { kube, stop } = await installClusterApi({
    name: 'cluster-api',
    connection: api.connection,
    kubeconfig: api.kubeconfig,
    folder: path.join(folder, 'cluster-api'),
    logs,
  });
  return {
    kube,
    connection: api.connection,
    outriggerKubeconfig,
    async stop() {
      await stop();
      await api.stop();
    },
  };
}

/** Starts a management cluster for the tests of a file; gives it, once they run. */
export function startManagementClusterForTests(): () => ManagementCluster {
  let folder: string;
  let management: ManagementCluster | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'outrigger-management-'));
    management = await startManagementCluster(folder);
  });
  afterAll(async () => {
    await management?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return () => management!;
}
