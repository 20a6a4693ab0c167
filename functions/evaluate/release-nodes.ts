import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { keyOf, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { DecidedScenario } from '@outrigger/core/actuation/commit/next-write.ts';
import { type DueRelease, dueReleases, isFresh, nextCheckAt } from '@outrigger/core/placement/due-releases.ts';
import { overdueNodes, TAINT_REMOVAL } from '@outrigger/core/placement/nodes-awaiting-pods.ts';
import { MAX_RECHECKS } from '@outrigger/core/wakeups/wake-up.ts';
import type { ClusterRun } from '../shared/services.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/** Number of nodes that are released at the same time. */
const LANES = 4;

/**
 * Carries a decision out on the nodes that await their pods: nominates these, and takes the taint off immediately after,
 * whatever has become of the nominations. Nodes that are not reached before the plan is too old are left to the next
 * evaluation, which this asks for. Reminds kube-scheduler of the pod that it has forgotten. A dry run changes nothing.
 *
 * @returns the number of nodes that are released.
 */
export async function releaseNodes(
  run: ClusterRun,
  { scenario, decision }: Pick<DecidedScenario, 'scenario' | 'decision'>,
): Promise<number> {
  const { services, cluster } = run;
  if (services.dryRun) {
    return 0;
  }
  const due = [...dueReleases(scenario, decision)];
  const freed = new Set<Node>();
  const lane = async (): Promise<void> => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) {
      if (next.pods.length > 0 && !isFresh(scenario, services.now())) {
        continue;
      }
      await nominate(run, next);
      if (await release(run, next.node)) {
        freed.add(next.node);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await remind(run, scenario, decision);
  const now = services.now();
  const again = nextCheckAt(scenario, decision, { freed, now, told: services.webhook === true });
  if (again !== null) {
    // No notification of a pod stands behind it.
    await (again > now ? services.wakeAt(cluster.name, again, MAX_RECHECKS) : services.wakeForReadyNode(cluster.name));
  }
  return freed.size;
}

/**
 * Releases the nodes that have been ready for so long that they should have been released before, without nominations. Best
 * effort: never rejects, but for an aborted signal.
 *
 * @param nodes as they are now; absent: they are read.
 */
export async function releaseOverdue(run: ClusterRun, nodes?: readonly Node[]): Promise<void> {
  const { services, cluster, signal } = run;
  if (services.dryRun) {
    return;
  }
  try {
    const all = nodes ?? (await cluster.reader.readNodes(signal)).objects.nodes;
    for (const node of overdueNodes(all, cluster.options, services.now())) {
      await release(run, node);
    }
  } catch (error) {
    signal.throwIfAborted();
    services.log.warn(`${cluster.name}: nodes that still await their pods could not be found`, { error });
  }
}

async function nominate(
  { services: { log, metrics }, cluster: { name, writer }, signal }: ClusterRun,
  { node, pods }: DueRelease,
): Promise<void> {
  const problems = await Promise.all(
    pods.map(async (pod: Pod) => {
      try {
        const outcome = await writer.nominate(pod, node.name, signal);
        return outcome.kind === 'failed' && outcome;
      } catch (error) {
        signal.throwIfAborted();
        return { error };
      }
    }),
  );
  const failed = presentItems(problems);
  if (failed.length > 0) {
    metrics.count('FailedNominations', failed.length);
    const some = `${failed.length} of ${pods.length} pods could not be nominated to node ${node.name}`;
    log.warn(`${name}: ${some}; kube-scheduler places them where it likes`, failed[0]);
  }
}

/**
 * Has kube-scheduler try again, by 1.35, the pods of this one's priority and of lower ones: a nomination that is taken back is to
 * it as if a pod had been deleted on that node.
 */
async function remind(
  { services: { log }, cluster: { name, writer }, signal }: ClusterRun,
  { objects }: Scenario,
  { scaleUp: { requeued } }: Decision,
): Promise<void> {
  if (requeued === undefined) {
    return;
  }
  const { pod: key, node } = requeued;
  const pod = firstItem(objects.pods.filter((one) => keyOf(one) === key));
  const failed = (why: object): void =>
    log.warn(`${name}: kube-scheduler could not be made to retry pod ${key}`, { ...why, ...requeued });
  try {
    const nominated = await writer.nominate(pod, node, signal);
    const outcome = nominated.kind === 'done' ? await writer.nominate(pod, null, signal) : nominated;
    if (outcome.kind === 'failed') {
      failed(outcome);
    } else {
      log.info(`${name}: kube-scheduler is made to retry pod ${key}, which has room on node ${node}`, { ...requeued });
    }
  } catch (error) {
    signal.throwIfAborted();
    failed({ error });
  }
}

/** @returns whether kube-scheduler may use the node now, or it is gone. */
async function release(
  { services: { log, metrics }, cluster: { name, writer }, signal }: ClusterRun,
  node: Node,
): Promise<boolean> {
  try {
    const change = { ...TAINT_REMOVAL, knownTaints: node.taints };
    const outcome = await writer.changeNode(node.name, node.uid, change, signal);
    if (outcome.kind !== 'failed') {
      metrics.count('ReleasedNodes', 1);
      return true;
    }
    log.error(`${name}: the taint of node ${node.name}, which awaits its pods, cannot be taken off`, { ...outcome });
  } catch (error) {
    signal.throwIfAborted();
    log.error(`${name}: the taint of node ${node.name}, which awaits its pods, could not be taken off`, { error });
  }
  return false;
}
