import { asksForInstance, asksForVolumes, type DrainObservation, unreadableOf } from '../../core/drain/observation.ts';
import { asksForOthers, othersOf } from '../../core/drain/together.ts';
import type { Drain } from '../../core/model/drain.ts';
import type { InstanceView } from '../../core/model/node-group.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Reads what the next step of a drain depends on: the node, and its instance where the drain asks for it. An instance that
 * cannot be read is not known; the drain says what then.
 *
 * @throws Error when the node cannot be read
 */
export async function observeDrain(
  world: World,
  { name: cluster, options, reader, groups }: Cluster,
  drain: Drain,
  now: EpochMs,
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
  const unreadable = unreadableOf(rejected);
  if (unreadable.node !== null && objects.nodes.length === 0) {
    // Not being readable is not being gone.
    throw new Error(`node ${node} cannot be read: ${unreadable.node}`);
  }
  const others = asksForOthers(drain) ? { others: othersOf(drain, await world.drains.list(cluster, signal)) } : {};
  const attached = asksForVolumes(drain, objects, now, options) ? await reader.attachedVolumes(node, signal) : [];
  return { cluster: objects, attached, unreadable: unreadable.keeping, instance, ...others };
}
