import type { V1Node } from '@kubernetes/client-node';
import { expect } from 'vitest';
import type { E2eCluster } from '../cluster.ts';
import type { Kube } from '../servers/kube.ts';
import type { Machines } from './machines.ts';
import { watchMarks } from './mark-watch.ts';

/** Groups of machines that Outrigger scales, all at zero. */
export interface Fleet {
  /** Where the machines' objects are. */
  readonly management: Kube;
  readonly machinesPath: string;
  /** The annotation that says which machines are to be deleted. */
  readonly mark: string;
  readonly machines: Machines;
  /** Replicas of each group. */
  replicas(): Promise<Readonly<Record<string, number>>>;
}

/** All at once and soon, where the defaults take their time. */
export const OPTIONS = {
  balanceSimilarNodeGroups: true,
  scaleDownUnneededTime: '2s',
  scaleDownDelayAfterAdd: '0s',
  scaleDownDelayAfterDelete: '0s',
  scaleDownDelayAfterFailure: '1s',
  unremovableNodeRecheckTimeout: '1s',
  nodeDeleteDelayAfterTaint: '1s',
};

const DRAINED = 'ToBeDeletedByClusterAutoscaler';

/** Nodes of each group under load. More than one, so that a controller has a choice which machine to delete. */
const PER_GROUP = 2;
const NODES = 3 * PER_GROUP;
/** How many machines go when the load goes. */
export const SPARE = NODES - 1;

/**
 * Load comes, one pod for each of six nodes: three similar groups grow alike, and the pods run. Pods that are small come, and
 * the load goes: all nodes but one are drained, and exactly their machines are deleted.
 *
 * @returns the names of these machines.
 */
export async function scaleUpAndDown(cluster: E2eCluster, fleet: Fleet): Promise<readonly string[]> {
  const { kube } = cluster;
  await cluster.createDeployment('load', NODES, { cpuMilli: 3_000, memoryMib: 1_024 });
  await cluster.untilRunning(NODES);
  await cluster.untilNodes(NODES);
  expect(await fleet.replicas()).toEqual({ a: PER_GROUP, b: PER_GROUP, c: PER_GROUP });

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
  await fleet.management.until(fleet.machinesPath, { what: 'one machine', holds: ({ length }) => length === 1 });
  // Two more evaluations, in which nothing more may go.
  await cluster.untilEvaluations(2);
  await cluster.untilRunning(SPARE);
  await Promise.all([machineWatch.stop(), nodeWatch.stop()]);

  expect(sorted(machineWatch.marked)).toEqual(sorted(machineWatch.deleted));
  expect(sorted(nodeWatch.deleted)).toEqual(sorted(machineWatch.deleted));
  expect(sorted(nodeWatch.marked)).toEqual(sorted(nodeWatch.deleted));
  expect(sorted(fleet.machines.ended.map(({ name }) => name))).toEqual(sorted(machineWatch.deleted));
  expect(fleet.machines.ended.filter(({ lost }) => lost.length > 0)).toEqual([]);
  expect(Object.values(await fleet.replicas()).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
  const { spec } = await kube.get<V1Node>(`/api/v1/nodes/${left!.metadata!.name}`);
  expect([spec?.taints ?? [], spec?.unschedulable ?? false]).toEqual([[], false]);
  return sorted(machineWatch.deleted);
}

export const sorted = (names: Iterable<string>): readonly string[] => [...names].toSorted();
