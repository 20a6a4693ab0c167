import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rbac } from '../../../providers/kubernetes/manifests/rbac.ts';
import { healthy, kubeconfigOf, startApiServer } from './api-server.ts';
import type { Servers } from './cache.ts';
import { kube, type Connection } from './kube.ts';
import type { KubernetesServers } from './kubernetes.ts';
import { writeStages } from './kwok-stages.ts';
import { freePorts, ready } from './server-process.ts';

/** A Kubernetes control plane on loopback: the real servers, with kwok in place of kubelets. */
export interface ControlPlane {
  readonly connection: Connection;
  /** Path of a kubeconfig with an administrator's token. */
  readonly kubeconfig: string;
  /** Path of a kubeconfig for Outrigger, with the rights that it is deployed with. */
  readonly outriggerKubeconfig: string;
  /** etcd: `http://127.0.0.1:PORT`. */
  readonly etcd: string;
  /** File of Outrigger's requests to the API server: audit events, one a line. */
  readonly audit: string;
  stop(): Promise<void>;
}

/**
 * Starts etcd, kube-apiserver (RBAC on), kube-scheduler, kube-controller-manager and kwok on free ports, and waits
 * until all of them are ready. State lies in `folder`, logs in `logs`.
 *
 * @param authority PEM of the one that the API server trusts where a webhook names none
 */
export async function startControlPlane(
  servers: KubernetesServers & Pick<Servers, 'kwok'>,
  folder: string,
  logs: string,
  authority: string,
): Promise<ControlPlane> {
  await mkdir(folder, { recursive: true });
  const inFolder = (name: string) => path.join(folder, name);
  const token = randomBytes(16).toString('hex');
  const schedulerToken = randomBytes(16).toString('hex');
  await writeFile(inFolder('audit-policy.json'), JSON.stringify(AUDIT_POLICY));
  const audit = path.join(logs, 'audit.jsonl');
  await writeFile(inFolder('trusted.pem'), authority);
  const { connection, kubeconfig, etcd, start, stop } = await startApiServer(servers, {
    folder,
    logs,
    // Pods would need a token mounted, which no kubelet is there to do.
    disabledAdmission: ['ServiceAccount'],
    users: [
      { name: 'outrigger', group: GROUP, token },
      { name: 'system:kube-scheduler', group: 'schedulers', token: schedulerToken },
    ],
    environment: { SSL_CERT_FILE: inFolder('trusted.pem') },
    args: [
      ...servers.gates,
      ...servers.apiServerArgs,
      '--audit-policy-file=audit-policy.json',
      `--audit-log-path=${audit}`,
    ],
  });

  try {
    const outriggerKubeconfig = inFolder('outrigger.kubeconfig');
    await writeFile(outriggerKubeconfig, kubeconfigOf({ ...connection, token }), { mode: 0o600 });
    // The scheduler is the user that it is on EKS, with the rights that every API server gives it.
    const schedulerKubeconfig = inFolder('scheduler.kubeconfig');
    await writeFile(schedulerKubeconfig, kubeconfigOf({ ...connection, token: schedulerToken }), { mode: 0o600 });
    await grantRights(connection);

    // Searched only now that the others are taken.
    const [schedulerPort, managerPort, kwokPort] = (await freePorts(3)) as [number, number, number];
    // Their default of 20 requests a second hides every other latency.
    const client = [...servers.gates, '--kube-api-qps=500', '--kube-api-burst=1000'];
    const scheduler = start('kube-scheduler', path.join(servers.controlPlane, 'kube-scheduler'), [
      `--kubeconfig=${schedulerKubeconfig}`,
      ...client,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${schedulerPort}`,
      `--cert-dir=${inFolder('scheduler-certificates')}`,
    ]);
    const manager = start('kube-controller-manager', path.join(servers.controlPlane, 'kube-controller-manager'), [
      `--kubeconfig=${kubeconfig}`,
      ...client,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${managerPort}`,
      `--cert-dir=${inFolder('manager-certificates')}`,
      '--service-account-private-key-file=sa.key',
      // The TTL controller of Kubernetes 1.35 panics when 1,000 nodes are deleted at once; no test reads its annotation.
      '--controllers=*,-nodeipam,-ttl',
    ]);
    await writeStages(path.join(servers.kwok, 'stages.yaml'), inFolder('stages.yaml'));
    const kwok = start('kwok', path.join(servers.kwok, 'kwok'), [
      `--kubeconfig=${kubeconfig}`,
      `--config=${inFolder('stages.yaml')}`,
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
    return { connection, kubeconfig, outriggerKubeconfig, etcd, audit, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** No requests but Outrigger's: the log is evidence of what it does and does not do. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', users: ['outrigger'] }, { level: 'None' }],
};

/** Group of the user that `outrigger local` is here. */
const GROUP = 'local';

/** The roles of a deployment, with names of this group: deployments under test use the real names. */
const roles = (): ReturnType<typeof rbac> =>
  JSON.parse(JSON.stringify(rbac()).replaceAll(/"outrigger(-drain)?"/g, `"${GROUP}$1"`)) as ReturnType<typeof rbac>;

/** Grants the rights of a deployment, and the rights that `--install-webhook` needs of its user. */
async function grantRights(connection: Connection): Promise<void> {
  const client = kube(connection);
  const api = '/apis/rbac.authorization.k8s.io/v1';
  const [role, binding, draining, drainBinding, configRole, configBinding] = roles().items;
  await client.create(`${api}/clusterroles`, role);
  await client.create(`${api}/clusterrolebindings`, binding);
  await client.create(`${api}/clusterroles`, draining);
  // All functions are one process here.
  await client.create(`${api}/clusterrolebindings`, { ...drainBinding, subjects: binding.subjects });
  const inNamespace = `${api}/namespaces/${configRole.metadata.namespace}`;
  await client.create(`${inNamespace}/roles`, configRole);
  await client.create(`${inNamespace}/rolebindings`, configBinding);
  const name = `${GROUP}-install-webhook`;
  await client.create(`${api}/clusterroles`, {
    metadata: { name },
    rules: [
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        verbs: ['get', 'create', 'patch', 'delete'],
      },
    ],
  });
  await client.create(`${api}/clusterrolebindings`, {
    ...binding,
    metadata: { name },
    roleRef: { ...binding.roleRef, name },
  });
  client.close();
}
