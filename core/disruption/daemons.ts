import { isNodeReady } from '../model/cluster/node-condition.ts';
import type { Node } from '../model/cluster/node.ts';
import { controllerKeyOf, isFinished } from '../model/cluster/pod.ts';
import type { Scenario } from '../model/scenario.ts';
import type { EpochMs } from '../model/values/time.ts';
import { daemonsOf, isEstablishedOn, nodesOfDaemons } from '../nodegroups/daemon-pods.ts';
import { carriedByNode } from '../nodegroups/node-templates.ts';

/** A DaemonSet whose pod is not ready on a node that it is to run on. */
interface MissingDaemon {
  readonly node: Node['name'];
  /** Namespace and name of the DaemonSet. */
  readonly daemonSet: string;
}

/**
 * The first DaemonSet whose pod does not run yet on a node that came since; `null` where all pods run. A node is ready
 * for use only with these pods: they bring network, volumes and logs. DaemonSets that are not known to run on other
 * nodes of the group are not awaited: their pods may never run.
 */
export function daemonMissing(
  { objects, nodeGroups }: Pick<Scenario, 'objects' | 'nodeGroups'>,
  since: EpochMs,
): MissingDaemon | null {
  const { nodes, pods, controllers } = objects;
  const fresh = nodes.filter(
    (node) => node.createdAt !== null && node.createdAt >= since && node.deletedAt === null && isNodeReady(node),
  );
  if (fresh.length === 0) {
    return null;
  }
  const sets = controllers.filter(({ kind, template }) => kind === 'DaemonSet' && template !== null);
  const names = new Set<Node['name'] | null>(fresh.map(({ name }) => name));
  const running = new Set(
    pods
      .filter((pod) => names.has(pod.nodeName) && pod.ready && pod.deletedAt === null && !isFinished(pod))
      .map((pod) => `${pod.nodeName} ${controllerKeyOf(pod)}`),
  );
  const carrying = nodesOfDaemons(pods);
  for (const node of fresh) {
    const ofGroup = nodeGroups.find((group) => group.nodes.includes(node.name))?.nodes ?? [];
    const others = ofGroup.filter((name) => !names.has(name));
    const daemons = daemonsOf(node, [], sets, isEstablishedOn({ nodes: others }, carrying)).filter(
      ({ established }) => established,
    );
    const carried = new Set(carriedByNode(node, daemons, objects).pods);
    const missing = daemons.find(({ pod, key }) => carried.has(pod) && !running.has(`${node.name} ${key}`));
    if (missing !== undefined) {
      return { node: node.name, daemonSet: missing.name };
    }
  }
  return null;
}
