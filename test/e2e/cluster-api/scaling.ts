import type { V1Node } from '@kubernetes/client-node';
import { expect } from 'vitest';
import type { E2eCluster } from '../cluster.ts';
import { SOON } from '../soon.ts';
import type { Bridge } from '../servers/bridge.ts';
import type { Kube } from '../servers/kube.ts';
import type { Machines } from './machines.ts';
import type { EndedNode } from '../servers/nodes.ts';
import { watchMarks } from './mark-watch.ts';

/** Groups of machines that Outrigger scales, all at zero. */
export interface Fleet {
  /** Cluster of the machines' objects. */
  readonly management: Kube;
  readonly machinesPath: string;
  /** The annotation that says which machines are to be deleted. */
  readonly mark: string;
  readonly machines: Pick<Machines, 'ended'>;
  /** Instances of Auto Scaling groups that have ended, where the cluster has some. */
  readonly instances?: Pick<Bridge, 'ended'>;
  /** The size of each group under the load. */
  readonly loaded: Readonly<Record<string, number>>;
  /** The size that each group is to have now. */
  sizes(): Promise<Readonly<Record<string, number>>>;
}

export const OPTIONS = { ...SOON, balanceSimilarNodeGroups: true };

const DRAINED = 'ToBeDeletedByClusterAutoscaler';

/** Under the load. A group has more than one, so that its controller has a choice which machine to delete. */
const NODES = 6;
/** How many machines go when the load goes. */
export const SPARE = NODES - 1;

/**
 * Load comes, one pod for each of six nodes: the groups grow, and the pods run. Pods that are small come, and the load goes:
 * all nodes but one are drained, and exactly their machines are deleted.
 *
 * @param untilEvaluations waits until that many evaluations have come and gone.
 * @returns the nodes that have ended.
 */
export async function scaleUpAndDown(
  cluster: E2eCluster,
  fleet: Fleet,
  untilEvaluations = (count: number): Promise<void> => cluster.untilEvaluations(count),
): Promise<readonly EndedNode[]> {
  const { kube } = cluster;
  await cluster.createDeployment('load', NODES, { cpuMilli: 3_000, memoryMib: 1_024 });
  await cluster.untilRunning(NODES);
  await cluster.untilNodes(NODES);
  expect(await fleet.sizes()).toEqual(fleet.loaded);

  await cluster.createDeployment('web', SPARE, { cpuMilli: 200, memoryMib: 128 });
  await cluster.untilRunning(NODES + SPARE);
  const machineWatch = watchMarks(fleet.management, fleet.machinesPath, fleet.mark);
  const nodeWatch = watchMarks(kube, '/api/v1/nodes', DRAINED);
  const eased = performance.now();
  await kube.remove(`/apis/apps/v1/namespaces/${cluster.name}/deployments/load`);
  const [left] = await cluster.untilNodes(1);
  process.stdout.write(
    `${cluster.name}: ${SPARE} nodes drained and gone in ${((performance.now() - eased) / 1000).toFixed(1)} s\n`,
  );
  await expect.poll(async () => sum(await fleet.sizes())).toBe(1);
  await fleet.management.until(fleet.machinesPath, { what: 'at most one machine', holds: ({ length }) => length <= 1 });
  // Two more evaluations, in which nothing more may go.
  await untilEvaluations(2);
  await cluster.untilRunning(SPARE);
  await Promise.all([machineWatch.stop(), nodeWatch.stop()]);

  const ended = [...fleet.machines.ended, ...(fleet.instances?.ended ?? [])];
  expect(ended.filter(({ lost }) => lost.length > 0)).toEqual([]);
  // A Machine has the name of its Node.
  expect(sorted(fleet.machines.ended.map(({ node }) => node))).toEqual(sorted(machineWatch.deleted));
  expect(sorted(machineWatch.marked)).toEqual(sorted(machineWatch.deleted));
  expect(sorted(nodeWatch.deleted)).toEqual(sorted(ended.map(({ node }) => node)));
  expect(sorted(nodeWatch.marked)).toEqual(sorted(nodeWatch.deleted));
  expect(sum(await fleet.sizes())).toBe(1);
  const { spec } = await kube.get<V1Node>(`/api/v1/nodes/${left!.metadata!.name}`);
  expect([spec?.taints ?? [], spec?.unschedulable ?? false]).toEqual([[], false]);
  return ended;
}

const sum = (sizes: Readonly<Record<string, number>>): number =>
  Object.values(sizes).reduce((total, size) => total + size, 0);

export const sorted = (names: Iterable<string>): readonly string[] => [...names].toSorted();
