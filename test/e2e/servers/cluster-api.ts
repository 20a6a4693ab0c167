import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { createServerCertificate } from '../../../cli/local/certificate.ts';
import type { Servers } from './cache.ts';
import { kube, type Connection, type Kube, type KubeObject } from './kube.ts';
import { freePorts, ready, startProcess } from './server-process.ts';

/** Cluster API's controller manager, running. */
export interface ClusterApi {
  /** Takes its webhooks and CRDs from the API server and ends it; no object of them may be left. */
  readonly stop: () => Promise<void>;
}

export interface ClusterApiSettings {
  /** Name of its log file. */
  readonly name: string;
  /** The management cluster, as an administrator. */
  readonly connection: Connection;
  readonly kubeconfig: string;
  /** State lies here; it is removed in the end. */
  readonly folder: string;
  readonly logs: string;
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

/**
 * Installs Cluster API's CRDs and webhooks into an API server and starts its controller manager there. Defaulting,
 * validation and the conversion between the served versions are the manager's own, as in an installation: only the
 * Service in front of the manager is replaced with its address.
 */
export async function startClusterApi(
  servers: Pick<Servers, 'clusterApi'>,
  { name, connection, kubeconfig, folder, logs }: ClusterApiSettings,
): Promise<ClusterApi> {
  await mkdir(folder, { recursive: true });
  const inFolder = (file: string) => path.join(folder, file);
  const [webhookPort, healthPort, diagnosticsPort] = (await freePorts(3)) as [number, number, number];
  const { ca, certificate, key } = await createServerCertificate('127.0.0.1');
  await writeFile(inFolder('tls.crt'), certificate);
  await writeFile(inFolder('tls.key'), key, { mode: 0o600 });
  const client = kube(connection);
  const endpoint = (service: Service): ClientConfig => ({
    url: `https://127.0.0.1:${webhookPort}${service.path}`,
    caBundle: Buffer.from(ca).toString('base64'),
  });
  const crds = await documentsOf<CustomResourceDefinition>(path.join(servers.clusterApi, 'crds.yaml'));
  const webhooks = await documentsOf<WebhookConfiguration>(path.join(servers.clusterApi, 'webhooks.yaml'));
  await installCrds(client, crds, endpoint);
  const manager = startProcess({
    name,
    command: path.join(servers.clusterApi, 'cluster-api'),
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--webhook-cert-dir=${folder}`,
      `--webhook-port=${webhookPort}`,
      `--health-addr=127.0.0.1:${healthPort}`,
      `--diagnostics-address=127.0.0.1:${diagnosticsPort}`,
      // A new installation has nothing to migrate.
      '--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields',
      // Its default of 20 requests a second to a workload cluster hides every other latency.
      '--clustercache-client-qps=500',
      '--clustercache-client-burst=1000',
    ],
    cwd: folder,
    logs,
  });
  const stop = async (): Promise<void> => {
    for (const { kind } of webhooks) await client.remove(`${ADMISSION}/${pluralOf(kind)}/${nameOf(kind)}`);
    await removeCrds(client, crds);
    client.close();
    await manager.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await ready(manager, async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok);
    // Only now: until the manager answers, the API server would refuse what the webhooks are asked about.
    await installWebhooks(client, webhooks, endpoint);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Service {
  readonly path: string;
}

interface ClientConfig {
  readonly url: string;
  readonly caBundle: string;
}

type Endpoint = (service: Service) => ClientConfig;

interface CustomResourceDefinition extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface WebhookConfiguration extends KubeObject {
  readonly kind: string;
  readonly webhooks: readonly { readonly name: string; readonly clientConfig: { readonly service: Service } }[];
}

export async function documentsOf<T>(file: string): Promise<readonly T[]> {
  const documents = parseAllDocuments(await readFile(file, 'utf8')).map((document) => document.toJS() as T | null);
  return documents.filter((document) => document !== null);
}

async function installCrds(client: Kube, crds: readonly CustomResourceDefinition[], endpoint: Endpoint): Promise<void> {
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: endpoint({ path: '/convert' }) };
  const conversion = { strategy: 'Webhook', webhook };
  await createCrds(
    client,
    crds.map((crd) => ({ ...crd, spec: { ...crd.spec, conversion } })),
  );
}

/** Creates CRDs, and waits until the API server serves them. */
export async function createCrds(client: Kube, crds: readonly KubeObject[]): Promise<void> {
  const names = crds.map(({ metadata }) => metadata!.name!);
  await Promise.all(crds.map((crd) => client.create(CRDS, crd)));
  const isServed = ({ status }: CustomResourceDefinition): boolean =>
    status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True') === true;
  await client.until<CustomResourceDefinition>(CRDS, {
    what: `CRDs that are served: ${names.join(', ')}`,
    holds: (there) => names.every((name) => there.some((crd) => crd.metadata?.name === name && isServed(crd))),
  });
}

export async function removeCrds(client: Kube, crds: readonly KubeObject[]): Promise<void> {
  await Promise.all(crds.map(({ metadata }) => client.remove(`${CRDS}/${metadata!.name}`)));
}

const pluralOf = (kind: string): string => `${kind.toLowerCase()}s`;
const nameOf = (kind: string): string => `cluster-api-${kind.startsWith('Mutating') ? 'defaulting' : 'validation'}`;

async function installWebhooks(
  client: Kube,
  configurations: readonly WebhookConfiguration[],
  endpoint: Endpoint,
): Promise<void> {
  for (const configuration of configurations) {
    await client.create(`${ADMISSION}/${pluralOf(configuration.kind)}`, {
      ...configuration,
      metadata: { name: nameOf(configuration.kind) },
      webhooks: configuration.webhooks.map((webhook) => ({
        ...webhook,
        clientConfig: endpoint(webhook.clientConfig.service),
      })),
    });
  }
}
