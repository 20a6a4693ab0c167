import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Servers } from '../e2e/servers/cache.ts';
import { type Connection, kube } from '../e2e/servers/kube.ts';
import { freePorts, ready, type ServerProcess, startProcess } from '../e2e/servers/server-process.ts';

/** etcd, kube-apiserver and kube-scheduler on loopback, and nothing that changes objects on its own. */
export interface SchedulerUnderTest {
  readonly connection: Connection;
  stop(): Promise<void>;
}

/**
 * Starts them on free ports. The scheduler has its default filter plugins and feature gates; it does not preempt, and
 * asks `extender` about the nodes that pass, which is how these become known.
 */
export async function startScheduler(servers: Servers, folder: string, extender: string): Promise<SchedulerUnderTest> {
  await mkdir(folder, { recursive: true });
  const [etcdPort, etcdPeerPort, apiPort, schedulerPort] = (await freePorts(4)) as [number, number, number, number];
  const inFolder = (name: string): string => path.join(folder, name);
  const started: ServerProcess[] = [];
  const start = (name: string, command: string, args: readonly string[]): ServerProcess => {
    const server = startProcess({ name, command, args, cwd: folder, logs: folder });
    started.push(server);
    return server;
  };
  const stop = async (): Promise<void> => {
    // Clients before servers, so that none waits for an answer that never comes.
    for (const server of started.toReversed()) {
      await server.stop();
    }
    await rm(folder, { recursive: true, force: true });
  };

  try {
    const token = randomBytes(16).toString('hex');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(inFolder('sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    await writeFile(inFolder('tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });

    const etcd = `http://127.0.0.1:${etcdPort}`;
    start('etcd', path.join(servers.etcd, 'etcd'), [
      `--data-dir=${inFolder('etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${etcdPeerPort}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ]);

    const apiServer = `https://127.0.0.1:${apiPort}`;
    const server = start('kube-apiserver', path.join(servers.controlPlane, 'kube-apiserver'), [
      `--etcd-servers=${etcd}`,
      `--cert-dir=${inFolder('certificates')}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${apiPort}`,
      '--service-account-key-file=sa.key',
      '--service-account-signing-key-file=sa.key',
      '--service-account-issuer=https://kubernetes.default.svc',
      '--token-auth-file=tokens.csv',
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.0.0.0/16',
      // What these add (tokens, taints of new nodes, finalizers) nobody is there to use or to take away.
      '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection',
      '--max-requests-inflight=2000',
      '--max-mutating-requests-inflight=1000',
    ]);
    const certificate = inFolder('certificates/apiserver.crt');
    await ready(server, async () => {
      const client = kube({ apiServer, token, certificateAuthority: await readFile(certificate, 'utf8') });
      try {
        return (await client.text('/readyz')) === 'ok';
      } finally {
        client.close();
      }
    });
    const connection = { apiServer, token, certificateAuthority: await readFile(certificate, 'utf8') };
    await writeFile(inFolder('kubeconfig'), kubeconfigOf(connection), { mode: 0o600 });
    await writeFile(
      inFolder('scheduler.json'),
      JSON.stringify(schedulerConfiguration(inFolder('kubeconfig'), extender)),
    );
    const scheduler = start('kube-scheduler', path.join(servers.controlPlane, 'kube-scheduler'), [
      `--config=${inFolder('scheduler.json')}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${schedulerPort}`,
      `--cert-dir=${inFolder('scheduler-certificates')}`,
    ]);
    await ready(scheduler, async () => {
      const authority = await readFile(inFolder('scheduler-certificates/kube-scheduler.crt'), 'utf8');
      const client = kube({
        apiServer: `https://127.0.0.1:${schedulerPort}`,
        token: '',
        certificateAuthority: authority,
      });
      try {
        return (await client.text('/healthz')) === 'ok';
      } finally {
        client.close();
      }
    });
    return { connection, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const schedulerConfiguration = (kubeconfig: string, extender: string) => ({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  leaderElection: { leaderElect: false },
  clientConnection: { kubeconfig, qps: 1000, burst: 2000 },
  profiles: [{ schedulerName: 'default-scheduler', plugins: { postFilter: { disabled: [{ name: '*' }] } } }],
  extenders: [{ urlPrefix: extender, filterVerb: 'filter', nodeCacheCapable: true, httpTimeout: '10s' }],
});

/** JSON, which is YAML too. */
const kubeconfigOf = ({ apiServer, token, certificateAuthority }: Connection): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'conformance',
        cluster: {
          server: apiServer,
          'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64'),
        },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'conformance', context: { cluster: 'conformance', user: 'admin' } }],
    'current-context': 'conformance',
  });
