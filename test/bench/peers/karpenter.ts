import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { E2eCluster } from '../../e2e/cluster.ts';
import { ensureServers } from '../../e2e/servers/cache.ts';
import { createCrds, documentsOf, removeCrds } from '../../e2e/servers/cluster-api.ts';
import { instanceShape } from '../../e2e/servers/instance-shapes.ts';
import type { KubeObject } from '../../e2e/servers/kube.ts';
import { freePorts, ready, startProcess } from '../../e2e/servers/server-process.ts';
import { serverSet } from '../../e2e/server-set.ts';
import { type Autoscaler, CONSOLIDATE_AFTER_S, type Ground } from './peer.ts';

const POOLS = '/apis/karpenter.sh/v1/nodepools';
const CLASSES = '/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses';
const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims';

/** Karpenter takes these off what a node of a type has. */
const OVERHEAD = { cpuMilli: 100, memoryKi: 10 * 1024 };

/** Starts Karpenter with its provider for kwok's nodes, which are like those of the groups. */
export async function startKarpenter(cluster: E2eCluster, ground: Ground): Promise<Autoscaler> {
  const { kube } = cluster;
  const { karpenter } = await ensureServers(['karpenter']);
  const crds = await documentsOf<KubeObject>(path.join(karpenter, 'crds.yaml'));
  await createCrds(kube, crds);
  const types = path.join(serverSet.logs, `${cluster.name}-instance-types.json`);
  await writeFile(types, JSON.stringify([await typeOf(cluster, ground)]));
  const [metricsPort, healthPort] = (await freePorts(2)) as [number, number];
  const server = startProcess({
    name: `${cluster.name}-karpenter`,
    command: path.join(karpenter, 'kwok'),
    args: [`--instance-types-file-path=${types}`],
    environment: {
      KUBECONFIG: serverSet.kubeconfig,
      METRICS_PORT: `${metricsPort}`,
      HEALTH_PROBE_PORT: `${healthPort}`,
      DISABLE_LEADER_ELECTION: 'true',
      SYSTEM_NAMESPACE: 'kube-system',
    },
    cwd: serverSet.logs,
    logs: serverSet.logs,
  });
  const poolOf = (zones: readonly string[]) => ({
    spec: {
      disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: `${CONSOLIDATE_AFTER_S}s` },
      template: {
        spec: {
          requirements: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: zones }],
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          expireAfter: 'Never',
        },
      },
    },
  });
  await ready(server, async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok);
  await kube.create(CLASSES, {
    apiVersion: 'karpenter.kwok.sh/v1alpha1',
    kind: 'KWOKNodeClass',
    metadata: { name: 'default' },
    spec: { nodeRegistrationDelay: `${ground.bootMs / 1_000}s` },
  });
  await kube.create(POOLS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    ...poolOf(ground.zones),
  });
  return {
    pid: server.pid,
    loseZone: async (zone) => {
      await kube.patch(`${POOLS}/default`, poolOf(ground.zones.filter((one) => one !== zone)));
    },
    async stop() {
      await server.stop();
      // Their finalizers are for the controller that has gone.
      for (const collection of [CLAIMS, POOLS, CLASSES, '/api/v1/nodes']) {
        for (const { metadata } of await kube.list<KubeObject>(collection)) {
          const object = `${collection}/${metadata!.name}`;
          await kube.patch(object, { metadata: { finalizers: null } });
          await kube.remove(object);
        }
      }
      await removeCrds(kube, crds);
    },
  };
}

/** The type as Karpenter's provider reads it: with as much room for pods as a node of a group has. */
async function typeOf({ aws }: E2eCluster, { instanceType, zones, price }: Ground): Promise<object> {
  const { arch, allocatable } = await instanceShape(aws, instanceType);
  const { cpu = '', memory = '', pods = '' } = allocatable;
  return {
    name: instanceType,
    architecture: arch,
    operatingSystems: ['linux'],
    resources: {
      cpu: `${Number.parseInt(cpu, 10) + OVERHEAD.cpuMilli}m`,
      memory: `${Number.parseInt(memory, 10) + OVERHEAD.memoryKi}Ki`,
      pods,
      'ephemeral-storage': '71Gi',
    },
    offerings: zones.map((zone) => ({
      Price: price,
      Available: true,
      Requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] },
      ],
    })),
  };
}
