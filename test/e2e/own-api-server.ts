import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ApiServer, startApiServer } from './servers/api-server.ts';
import { ensureServers } from './servers/cache.ts';
import { type Kube, kube as connect } from './servers/kube.ts';

/** An API server of a test file's own, without controllers: no other client changes anything. */
export interface OwnApiServer extends Pick<ApiServer, 'kubeconfig' | 'restart' | 'compact'> {
  readonly kube: Kube;
  /** Folder of its logs. */
  readonly logs: string;
  readonly stop: () => Promise<void>;
}

/** @param name of the folder of its data and logs */
export async function startOwnApiServer(name: string): Promise<OwnApiServer> {
  const folder = await mkdtemp(path.join(tmpdir(), `outrigger-${name}-`));
  const logs = path.join(folder, 'logs');
  await mkdir(logs);
  const api = await startApiServer(await ensureServers(['controlPlane', 'etcd']), {
    folder: path.join(folder, 'api'),
    logs,
    disabledAdmission: ['ServiceAccount', 'PersistentVolumeClaimResize'],
  });
  const kube = connect(api.connection);
  return {
    kubeconfig: api.kubeconfig,
    restart: api.restart,
    compact: api.compact,
    logs,
    kube,
    stop: async () => {
      kube.close();
      await api.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
