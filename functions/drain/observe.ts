import { asksForInstance, asksForVolumes, type DrainObservation } from '../../core/drain/observation.ts';
import type { Drain } from '../../core/model/drain.ts';
import type { ClusterObservation } from '../../core/ports/cluster.ts';
import type { InstanceView } from '../../core/model/node-group.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Reads what the next step of a drain depends on: the node, and its instance where the drain asks for it. An instance that
 * cannot be read is not known; the drain says what then.
 *
 * @throws Error when the node cannot be read
 */
export async function observeDrain(
  world: World,
  { reader, groups }: Cluster,
  drain: Drain,
  signal: AbortSignal,
): Promise<Omit<DrainObservation, 'results'>> {
  const { node, group, instance: id, phase } = drain;
  const [{ objects, rejected }, instance] = await Promise.all([
    // A node that is freed again is so whatever is on it.
    reader.readNode(node, signal, phase === 'RollingBack' ? 'alone' : 'with pods'),
    asksForInstance(phase)
      ? groups.readInstance(group, id, signal).catch((error: unknown): InstanceView | null => {
          signal.throwIfAborted();
          world.log.warn(`Instance ${id} of ${group} could not be read; it is tried again`, { error });
          return null;
        })
      : null,
  ]);
  const [nodeItself] = problemsOf(rejected, ['Node']);
  const unreadable = problemsOf(rejected, KEEPING);
  if (nodeItself !== undefined && objects.nodes.length === 0) {
    // Not being readable is not being gone.
    throw new Error(`node ${node} cannot be read: ${nodeItself}`);
  }
  const attached = asksForVolumes(drain, objects.pods) ? await reader.attachedVolumes(node, signal) : [];
  return { cluster: objects, attached, unreadable, instance };
}

/** What keeps a node while it cannot be read: its pods, and what tells whether these may go, and where to. */
const KEEPING = ['Pod', 'ReplicationController', 'ReplicaSet', 'StatefulSet', 'Job', 'PersistentVolumeClaim'];

const problemsOf = (rejected: ClusterObservation['rejected'], kinds: readonly string[]): readonly string[] =>
  rejected.flatMap(({ place, expected, found }) =>
    kinds.some((kind) => place.startsWith(`${kind} `)) ? [`${place}: expected ${expected}, found ${found}`] : [],
  );
