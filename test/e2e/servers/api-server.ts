import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Servers } from './cache.ts';
import { compact } from './etcd.ts';
import { kube, type Connection } from './kube.ts';
import { freePorts, ready, startProcess, type ServerProcess } from './server-process.ts';

/** etcd and kube-apiserver on loopback, and what is started beside them. */
export interface ApiServer {
  /** As an administrator. */
  readonly connection: Connection;
  /** Path of a kubeconfig with the administrator's token. */
  readonly kubeconfig: string;
  /** Starts a client of the API server, which is stopped before it. */
  readonly start: (name: string, command: string, args: readonly string[]) => ServerProcess;
  /** Stops the API server alone and starts it again, as it was, on what etcd has; waits until it is ready. */
  readonly restart: () => Promise<void>;
  /** etcd: `http://127.0.0.1:PORT`. */
  readonly etcd: string;
  /** Has etcd forget all earlier revisions. */
  readonly compact: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface ApiServerOptions {
  /** State lies here; it is removed in the end. */
  readonly folder: string;
  readonly logs: string;
  readonly disabledAdmission: readonly string[];
  /** Further users: name, group and token of each. */
  readonly users?: readonly { readonly name: string; readonly group: string; readonly token: string }[];
  readonly args?: readonly string[];
  /** Variables of the API server. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts etcd and kube-apiserver (RBAC on) on free ports and waits until they are ready. */
export async function startApiServer(
  servers: Pick<Servers, 'etcd' | 'controlPlane'>,
  options: ApiServerOptions,
): Promise<ApiServer> {
  const { folder, logs, disabledAdmission, users = [], args = [], environment = {} } = options;
  await mkdir(folder, { recursive: true });
  const [etcdPort, etcdPeerPort, apiPort] = (await freePorts(3)) as [number, number, number];
  const inFolder = (name: string) => path.join(folder, name);
  const started: ServerProcess[] = [];
  const start = (name: string, command: string, commandArgs: readonly string[], own = {}): ServerProcess => {
    const server = startProcess({ name, command, args: commandArgs, cwd: folder, logs, environment: own });
    started.push(server);
    return server;
  };
  const stop = async (): Promise<void> => {
    // Clients before servers, so that none waits for an answer that never comes.
    for (const server of started.toReversed()) await server.stop();
    await rm(folder, { recursive: true, force: true });
  };

  try {
    const token = randomBytes(16).toString('hex');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(inFolder('sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    const tokens = [
      `${token},admin,admin,system:masters`,
      ...users.map((user) => `${user.token},${user.name},${user.name},${user.group}`),
    ];
    await writeFile(inFolder('tokens.csv'), `${tokens.join('\n')}\n`, { mode: 0o600 });

    const etcd = `http://127.0.0.1:${etcdPort}`;
    start('etcd', path.join(servers.etcd, 'etcd'), [
      `--data-dir=${inFolder('etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${etcdPeerPort}`,
      '--unsafe-no-fsync',
    ]);

    const apiServer = `https://127.0.0.1:${apiPort}`;
    const apiServerArgs = [
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
      `--disable-admission-plugins=${disabledAdmission.join(',')}`,
      '--max-requests-inflight=2000',
      '--max-mutating-requests-inflight=1000',
      ...args,
    ];
    const certificate = inFolder('certificates/apiserver.crt');
    const startServer = async (): Promise<ServerProcess> => {
      const command = path.join(servers.controlPlane, 'kube-apiserver');
      const server = start('kube-apiserver', command, apiServerArgs, environment);
      await ready(server, async () => {
        const client = kube({ apiServer, token, certificateAuthority: await readFile(certificate, 'utf8') });
        try {
          return (await client.text('/readyz')) === 'ok';
        } finally {
          client.close();
        }
      });
      return server;
    };
    let server = await startServer();
    const restart = async (): Promise<void> => {
      await server.stop();
      server = await startServer();
    };
    // Self-signed: the file holds the certificate and the authority that signed it.
    const connection = { apiServer, token, certificateAuthority: await readFile(certificate, 'utf8') };
    const kubeconfig = inFolder('kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(connection), { mode: 0o600 });
    return { connection, kubeconfig, start, restart, etcd, compact: () => compact(etcd), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Does a server with a certificate of its own say that it is well? */
export async function healthy(port: number, certificate: string): Promise<boolean> {
  const certificateAuthority = await readFile(certificate, 'utf8');
  const client = kube({ apiServer: `https://127.0.0.1:${port}`, token: '', certificateAuthority });
  try {
    return (await client.text('/healthz')) === 'ok';
  } finally {
    client.close();
  }
}

/** Reads what `kubeconfigOf` has written. */
export function connectionIn(kubeconfig: string): Connection {
  const { clusters, users } = JSON.parse(kubeconfig) as ReturnType<typeof contentOf>;
  const [{ cluster }] = clusters;
  return {
    apiServer: cluster.server,
    certificateAuthority: Buffer.from(cluster['certificate-authority-data'], 'base64').toString('utf8'),
    token: users[0].user.token,
  };
}

/** JSON, which is YAML too. */
export const kubeconfigOf = (connection: Connection): string => JSON.stringify(contentOf(connection));

const contentOf = ({ apiServer, token, certificateAuthority }: Connection) =>
  ({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'e2e',
        cluster: {
          server: apiServer,
          'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64'),
        },
      },
    ],
    users: [{ name: 'user', user: { token } }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'user' } }],
    'current-context': 'e2e',
  }) as const;
