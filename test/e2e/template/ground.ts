import type { E2eCluster } from '../cluster.ts';
import { connection } from '../connection.ts';
import { ensureServers } from '../servers/cache.ts';
import type { Kube } from '../servers/kube.ts';
import { deploy, type Deployment, type DeploymentSettings } from './deployment.ts';
import type { Synthesized } from './synthesize.ts';
import { serverSet } from '../server-set.ts';
import { shared } from '../shared.ts';

/** The folder of the bundles that the stack deploys, one folder for each function. */
export const buildBundles = (): Promise<string> => shared('bundles');

/**
 * Deploys onto the servers of the run.
 *
 * @param api where its functions find the API server.
 */
export async function deployTemplate(
  synthesized: Synthesized,
  cluster: Pick<E2eCluster, 'name' | 'aws'>,
  nodeGroups: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>>,
  management?: DeploymentSettings['management'],
  api: DeploymentSettings['connection'] = connection(),
): Promise<Deployment> {
  const { lambdaRuntime } = await ensureServers(['lambdaRuntime']);
  return deploy({
    synthesized,
    parameters,
    cluster: cluster.name,
    connection: api,
    ...(management === undefined ? {} : { management }),
    moto: serverSet.awsEndpoint,
    dynamodb: serverSet.dynamodbEndpoint,
    certificate: serverSet.certificate,
    aws: cluster.aws,
    nodeGroups,
    runtime: lambdaRuntime,
    logs: serverSet.logs,
  });
}

/** A manifest of the stack's outputs. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const PLURALS: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};

/** Applies the roles of an output. Gives what takes them away. */
export async function applyRoles(kube: Kube, output: string): Promise<() => Promise<void>> {
  const { items } = JSON.parse(output) as { readonly items: readonly Manifest[] };
  const made: string[] = [];
  for (const item of items) {
    const { name, namespace } = item.metadata;
    const inNamespace = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const collection = `/apis/rbac.authorization.k8s.io/v1${inNamespace}/${PLURALS[item.kind]}`;
    await kube.create(collection, item);
    made.push(`${collection}/${name}`);
  }
  return async () => {
    for (const object of made) await kube.remove(object);
  };
}

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

interface Webhooks {
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly { readonly clientConfig: { readonly url: string } }[];
}

/** Applies the webhook of an output. Gives what takes it away. */
export async function applyWebhook(kube: Kube, output: string): Promise<() => Promise<void>> {
  const manifest = JSON.parse(output) as Webhooks;
  await kube.create(WEBHOOKS, manifest);
  return () => kube.remove(`${WEBHOOKS}/${manifest.metadata.name}`);
}

/**
 * Puts local addresses in the place of AWS's in a webhook of the cluster: the API server here finds no hosts of AWS.
 */
export async function makeReachable(
  kube: Kube,
  name: string,
  { reachable }: Pick<Deployment, 'reachable'>,
): Promise<void> {
  const { webhooks } = await kube.get<Webhooks>(`${WEBHOOKS}/${name}`);
  await kube.patch(`${WEBHOOKS}/${name}`, {
    webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig: { url: reachable(webhook.clientConfig.url) } })),
  });
}
