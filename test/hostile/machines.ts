import type { NodeGroups } from '../../core/ports/node-groups.ts';
import { createClusterApiGroups } from '../../providers/clusterapi/cluster-api-groups.ts';
import { PRICE_KEY } from '../../providers/node-groups/stated-price.ts';
import { WEB } from '../functions/test-world.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import { bounds, rawObject, rawScalable } from '../providers/clusterapi/builders.ts';
import { managementCluster } from '../providers/clusterapi/management-cluster.ts';
import { EVIL, pick, TIME, VICTIM } from './objects.ts';
import type { Recipe } from './recipes.ts';

export type OddMachines = Extract<Recipe, { kind: 'machines' }>;

/** Names of the user's Cluster: another one, or the victim's, in another namespace. */
const CLUSTERS = [WEB, 'evil'] as const;
const PRICES = ['0.0001', '0', '1'] as const;
const CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io/';

/** A management cluster with the victim's Cluster, whose nodes are of Auto Scaling groups, and with what a user has beside it. */
export async function hostileMachines(
  recipes: readonly OddMachines[],
  now: () => EpochMs,
): Promise<Pick<NodeGroups, 'list' | 'summarize'> & AsyncDisposable> {
  const objects = recipes.flatMap(({ count, cluster, price }, i) => [
    rawObject('Cluster', pick(CLUSTERS, cluster), { namespace: EVIL, uid: `evil-${i}`, createdAt: TIME }),
    ...Array.from({ length: count }, (_, n) =>
      rawScalable('MachineDeployment', `evil-${i}-${n}`, {
        namespace: EVIL,
        uid: `evil-${i}-${n}`,
        annotations: {
          ...bounds(0, 10),
          [PRICE_KEY]: pick(PRICES, price),
          [`${CAPACITY}cpu`]: '40',
          [`${CAPACITY}memory`]: '320Gi',
          [`${CAPACITY}labels`]: 'topology.kubernetes.io/zone=us-east-1a',
        },
        spec: { clusterName: pick(CLUSTERS, cluster), replicas: 0 },
      }),
    ),
  ]);
  const own = rawObject('Cluster', WEB, { namespace: VICTIM, uid: 'own', createdAt: '2020-01-01T00:00:00Z' });
  const management = await managementCluster([own, ...objects]);
  const groups = createClusterApiGroups({
    transport: management.transport,
    cluster: WEB,
    inManagementCluster: false,
    apiGroup: 'cluster.x-k8s.io',
    discovery: [],
    machineDeployments: true,
    defaultArchitecture: 'amd64',
    warn: () => {},
    now,
  });
  return { ...groups, [Symbol.asyncDispose]: async () => await management[Symbol.asyncDispose]() };
}
