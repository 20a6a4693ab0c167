import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KUBERNETES_GROUP, rbac } from '../../../cdk/kubernetes.ts';
import type { Servers } from './cache.ts';
import { kube, type Connection } from './kube.ts';
import { freePorts, ready, startProcess, type ServerProcess } from './server-process.ts';

/** A Kubernetes control plane on loopback: the real servers, with kwok in place of kubelets. */
export interface ControlPlane {
  readonly connection: Connection;
  /** Path of a kubeconfig with an administrator's token. */
  readonly kubeconfig: string;
  /** Path of a kubeconfig for Outrigger, with the rights that it is deployed with. */
  readonly outriggerKubeconfig: string;
  /** What Outrigger asked of the API server: audit events, one a line. */
  readonly audit: string;
  stop(): Promise<void>;
}

/**
 * Starts etcd, kube-apiserver (RBAC on), kube-scheduler, kube-controller-manager and kwok on free ports, and waits
 * until all of them are ready. State lies in `folder`, logs in `logs`.
 */
export async function startControlPlane(servers: Servers, folder: string, logs: string): Promise<ControlPlane> {
  await mkdir(folder, { recursive: true });
  const [etcdPort, etcdPeerPort, apiPort, schedulerPort, managerPort, kwokPort] = (await freePorts(6)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const inFolder = (name: string) => path.join(folder, name);
  const started: ServerProcess[] = [];
  const start = (name: string, command: string, args: readonly string[]): ServerProcess => {
    const server = startProcess({ name, command, args, cwd: folder, logs });
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
    const outriggerToken = randomBytes(16).toString('hex');
    const tokens = [`${token},admin,admin,system:masters`, `${outriggerToken},outrigger,outrigger,${KUBERNETES_GROUP}`];
    await writeFile(inFolder('tokens.csv'), `${tokens.join('\n')}\n`, { mode: 0o600 });
    await writeFile(inFolder('audit-policy.json'), JSON.stringify(AUDIT_POLICY));
    const audit = path.join(logs, 'audit.jsonl');

    const etcd = `http://127.0.0.1:${etcdPort}`;
    start('etcd', path.join(servers.etcd, 'etcd'), [
      `--data-dir=${inFolder('etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${etcdPeerPort}`,
      '--unsafe-no-fsync',
    ]);

    const apiServer = `https://127.0.0.1:${apiPort}`;
    const apiServerProcess = start('kube-apiserver', path.join(servers.controlPlane, 'kube-apiserver'), [
      `--etcd-servers=${etcd}`,
      `--cert-dir=${inFolder('certificates')}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${apiPort}`,
      '--service-account-key-file=sa.key',
      '--service-account-signing-key-file=sa.key',
      '--service-account-issuer=https://kubernetes.default.svc',
      '--token-auth-file=tokens.csv',
      '--audit-policy-file=audit-policy.json',
      `--audit-log-path=${audit}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.0.0.0/16',
      // Pods would need a token mounted, which no kubelet is there to do.
      '--disable-admission-plugins=ServiceAccount',
      '--max-requests-inflight=2000',
      '--max-mutating-requests-inflight=1000',
    ]);
    const certificate = inFolder('certificates/apiserver.crt');
    await ready(apiServerProcess, async () => {
      const client = kube({ apiServer, token, certificateAuthority: await readFile(certificate, 'utf8') });
      try {
        return (await client.text('/readyz')) === 'ok';
      } finally {
        client.close();
      }
    });
    // Self-signed: the file holds the certificate and the authority that signed it.
    const certificateAuthority = await readFile(certificate, 'utf8');
    const connection = { apiServer, token, certificateAuthority };
    const kubeconfig = inFolder('kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(connection), { mode: 0o600 });
    const outriggerKubeconfig = inFolder('outrigger.kubeconfig');
    await writeFile(outriggerKubeconfig, kubeconfigOf({ ...connection, token: outriggerToken }), { mode: 0o600 });
    await grantRights(connection);

    // Their default of 20 requests a second hides every other latency.
    const client = [`--kubeconfig=${kubeconfig}`, '--kube-api-qps=500', '--kube-api-burst=1000'];
    const scheduler = start('kube-scheduler', path.join(servers.controlPlane, 'kube-scheduler'), [
      ...client,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${schedulerPort}`,
      `--cert-dir=${inFolder('scheduler-certificates')}`,
    ]);
    const manager = start('kube-controller-manager', path.join(servers.controlPlane, 'kube-controller-manager'), [
      ...client,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${managerPort}`,
      `--cert-dir=${inFolder('manager-certificates')}`,
      '--service-account-private-key-file=sa.key',
      '--controllers=*,-nodeipam,-cloud-node-lifecycle',
    ]);
    const kwok = start('kwok', path.join(servers.kwok, 'kwok'), [
      `--kubeconfig=${kubeconfig}`,
      `--config=${path.join(servers.kwok, 'stages.yaml')}`,
      `--server-address=127.0.0.1:${kwokPort}`,
      '--manage-all-nodes=true',
      '--node-ip=127.0.0.1',
      '--node-lease-duration-seconds=40',
    ]);
    await Promise.all([
      ready(scheduler, () => healthy(schedulerPort, inFolder('scheduler-certificates/kube-scheduler.crt'))),
      ready(manager, () => healthy(managerPort, inFolder('manager-certificates/kube-controller-manager.crt'))),
      ready(kwok, async () => (await fetch(`http://127.0.0.1:${kwokPort}/healthz`)).ok),
    ]);
    return { connection, kubeconfig, outriggerKubeconfig, audit, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Nobody's requests but Outrigger's: the log is evidence of what it does and does not do. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', users: ['outrigger'] }, { level: 'None' }],
};

/** The rights that a deployment has, and beside them what `--install-webhook` needs of whoever runs it. */
async function grantRights(connection: Connection): Promise<void> {
  const client = kube(connection);
  const roles = '/apis/rbac.authorization.k8s.io/v1';
  const [role, binding] = rbac.items;
  await client.create(`${roles}/clusterroles`, role);
  await client.create(`${roles}/clusterrolebindings`, binding);
  const name = 'outrigger-doorbell';
  await client.create(`${roles}/clusterroles`, {
    metadata: { name },
    rules: [
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        verbs: ['create', 'patch', 'delete'],
      },
    ],
  });
  await client.create(`${roles}/clusterrolebindings`, {
    ...binding,
    metadata: { name },
    roleRef: { ...binding.roleRef, name },
  });
  client.close();
}

async function healthy(port: number, certificate: string): Promise<boolean> {
  const certificateAuthority = await readFile(certificate, 'utf8');
  const client = kube({ apiServer: `https://127.0.0.1:${port}`, token: '', certificateAuthority });
  try {
    return (await client.text('/healthz')) === 'ok';
  } finally {
    client.close();
  }
}

/** JSON, which is YAML too. */
function kubeconfigOf({ apiServer, token, certificateAuthority }: Connection): string {
  const authority = Buffer.from(certificateAuthority).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'e2e', cluster: { server: apiServer, 'certificate-authority-data': authority } }],
    users: [{ name: 'user', user: { token } }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'user' } }],
    'current-context': 'e2e',
  });
}
