import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { LAST_UPDATED, OUTRIGGER_UPDATED } from '@outrigger/providers/kubernetes/status-config-map.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import { epochMs, type EpochMs } from '@outrigger/core/model/values/time.ts';
import type { Connection } from '@outrigger/providers/kubernetes/client/connection.ts';
import { isRefusal } from '@outrigger/providers/kubernetes/client/api-error.ts';
import { type ApiRequest, type ApiResource, apiRequest } from '@outrigger/providers/kubernetes/client/api-request.ts';
import type { Answer } from '@outrigger/providers/kubernetes/client/exchange.ts';
import { createTransport, type Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { NODES } from '@outrigger/providers/kubernetes/read/kinds.ts';
import { QUOTAS } from '@outrigger/providers/kubernetes/read/headroom-sources.ts';
import { listAll } from '@outrigger/providers/kubernetes/read/list.ts';
import { urlsInCluster } from '../../install/cluster/webhook.ts';
import { fieldsOf, listedIn, textOf } from '../../migrate/deployment.ts';
import { workloadDeployment } from '../../migrate/workload.ts';
import type { DoctorSettings } from '../settings.ts';
import { type Fact, factOf, notCalled } from './fact.ts';
import type { Autoscaler, CapacityQuotas, KubernetesFacts } from './facts.ts';
import { neededByRole, neededByUser, readPermissions } from './permissions.ts';

/** A user waits for the answers. */
export const PATIENCE = { deadlineMs: 10_000, budgetMs: 15_000, maxAttempts: 2 };
const PAGE = 500;

const DEPLOYMENTS: ApiResource = { group: 'apps', version: 'v1', resource: 'deployments' };
const CONFIG_MAPS: ApiResource = { group: '', version: 'v1', resource: 'configmaps' };
const NODE_POOLS: ApiResource = { group: 'karpenter.sh', version: 'v1', resource: 'nodepools' };

/**
 * Reads the cluster over a connection, or says of every fact why there is none.
 *
 * @param asRole the connection is that of the role in the account of the cluster
 */
export async function readKubernetes(
  connection: Fact<Connection>,
  settings: DoctorSettings,
  asRole: boolean,
): Promise<KubernetesFacts> {
  if (!connection.ok) {
    return { ...(await readObjects(connection, settings)), permissions: connection, server: null, asRole };
  }
  const transport = createTransport(connection.value, PATIENCE);
  try {
    const permissions = await factOf('create selfsubjectaccessreviews.authorization.k8s.io', () =>
      readPermissions(transport, asRole ? neededByRole(settings) : neededByUser(settings)),
    );
    // If the first request finds no server, no further request is made: each would wait as long.
    const silent = !permissions.ok && ['no answer', 'unauthenticated'].includes(permissions.error.reason);
    const facts = await readObjects(silent ? permissions : ok(transport), settings);
    return { ...facts, permissions, server: connection.value.server.href, asRole };
  } finally {
    transport.close();
  }
}

/** Reads the objects that matter, or says of each why nothing is read. */
async function readObjects(
  transport: Fact<Transport>,
  settings: DoctorSettings,
): Promise<Omit<KubernetesFacts, 'server' | 'asRole' | 'permissions'>> {
  const read = async <T>(call: string, reader: (own: Transport) => Promise<T>): Promise<Fact<T>> =>
    transport.ok ? await factOf(call, () => reader(transport.value)) : notCalled(call, transport.error.text);
  const [autoscalers, autoscalerStatus, nodePools, capacityQuotas, webhook, nodes] = await Promise.all([
    read('list deployments.apps', readAutoscalers),
    read('get configmaps', (own) => readStatus(own, settings.namespace)),
    read('list nodepools.karpenter.sh', (own) => readNames(own, NODE_POOLS)),
    read('list capacityquotas.autoscaling.x-k8s.io', readQuotas),
    read('get validatingwebhookconfigurations', (own) => urlsInCluster(own, settings.cluster)),
    read('list nodes', readNodes),
  ]);
  return { autoscalers, autoscalerStatus, nodePools, capacityQuotas, webhook, nodes };
}

const jsonOf = ({ body }: Answer): unknown => JSON.parse(body.toString('utf8'));

/** @returns `null` where the object, or its kind, does not exist. */
async function orNull<T>(transport: Transport, request: ApiRequest, read: (raw: unknown) => T): Promise<T | null> {
  try {
    return await transport.send(request, (answer) => read(jsonOf(answer)));
  } catch (error) {
    if (isRefusal(error, 404)) {
      return null;
    }
    throw error;
  }
}

export async function readAutoscalers(transport: Transport): Promise<readonly Autoscaler[]> {
  const found: Autoscaler[] = [];
  let next: string | null = null;
  do {
    const query: Readonly<Record<string, string>> = { limit: String(PAGE), ...present({ continue: next }) };
    const list = await transport.send(apiRequest('list', DEPLOYMENTS, { query }), (answer) => fieldsOf(jsonOf(answer)));
    found.push(...listedIn(list['items']).flatMap(autoscalerIn));
    next = textOf(fieldsOf(list['metadata'])['continue']) || null;
  } while (next !== null);
  return found;
}

function autoscalerIn(raw: unknown): readonly Autoscaler[] {
  // Items of a list do not say their kind.
  const deployment = { kind: 'Deployment', ...fieldsOf(raw) };
  const found = workloadDeployment(deployment);
  if (found === null) {
    return [];
  }
  const { metadata, spec }: Record<string, unknown> = deployment;
  const { namespace, name } = fieldsOf(metadata);
  const { replicas } = fieldsOf(spec);
  return [
    {
      namespace: textOf(namespace) ?? '',
      name: textOf(name) ?? '',
      replicas: typeof replicas === 'number' ? replicas : 1,
      flags: found.flags,
    },
  ];
}

/** Cluster Autoscaler's `--status-config-map-name`, and where it says the time: `clusterstate/utils/status.go`. */
const STATUS = 'cluster-autoscaler-status';

const readStatus = async (transport: Transport, namespace: string): Promise<EpochMs | null> =>
  await orNull(transport, apiRequest('get', CONFIG_MAPS, { namespace, name: STATUS }), (raw) => {
    const annotations = fieldsOf(fieldsOf(fieldsOf(raw)['metadata'])['annotations']);
    const updated = textOf(annotations[LAST_UPDATED]);
    if (updated === textOf(annotations[OUTRIGGER_UPDATED])) {
      // Outrigger's own is not that of another autoscaler.
      return null;
    }
    return mapOptional(updated, goTime);
  });

/** `2026-01-01 12:00:00.123456789 +0000 UTC`, as Go prints a time. */
function goTime(text: string): EpochMs | null {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)? ([+-]\d\d)(\d\d)/.exec(text);
  return mapOptional(match, ([, date, time, hours, mins]) => epochMs(Date.parse(`${date}T${time}${hours}:${mins}`)));
}

/** The names of all objects of a kind of custom resources; none where the API server does not have the kind. */
const readNames = async (transport: Transport, resource: ApiResource): Promise<readonly string[]> =>
  (await orNull(transport, apiRequest('list', resource), (raw) =>
    listedIn(fieldsOf(raw)['items']).map((item) => textOf(fieldsOf(fieldsOf(item)['metadata'])['name']) ?? ''),
  )) ?? [];

/** An API server may have the older version of the kind alone. */
async function readQuotas(transport: Transport): Promise<CapacityQuotas> {
  const names = await readNames(transport, QUOTAS.resource);
  if (names.length > 0) {
    return { names, outdated: false };
  }
  const older = await readNames(transport, { ...QUOTAS.resource, version: 'v1alpha1' });
  return { names: older, outdated: older.length > 0 };
}

const readNodes = async (transport: Transport): Promise<readonly Node[]> =>
  (await listAll(transport, NODES, { pageSize: PAGE })).items as readonly Node[];
