import {
  asksForInstance,
  asksForVolumes,
  type DrainObservation,
  unreadableOf,
} from '@outrigger/core/drain/observation.ts';
import { asksForOthers, othersOf, wasOutside } from '@outrigger/core/drain/together.ts';
import type { Drain } from '@outrigger/core/model/drain.ts';
import type { InstanceView } from '@outrigger/core/model/node-group.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Reads what the next step of a drain depends on: the node, and the instance if the drain asks for it. An instance that
 * cannot be read is unknown; the drain decides how to go on.
 *
 * @throws Error when the node cannot be read
 */
export async function observeDrain(
  world: World,
  of: Cluster,
  drain: Drain,
  now: EpochMs,
  signal: AbortSignal,
): Promise<Omit<DrainObservation, 'results'>> {
  const { options, reader } = of;
  const { node, phase } = drain;
  const [{ objects, rejected }, instance] = await Promise.all([
    // A node that is freed again is so whatever is on it.
    reader.readNode(node, signal, phase === 'RollingBack' ? 'alone' : 'with pods'),
    asksForInstance(phase) ? instanceOf(world, of, drain, signal) : null,
  ]);
  const unreadable = unreadableOf(rejected);
  if (unreadable.node !== null && objects.nodes.length === 0) {
    // Not being readable is not being gone.
    throw new Error(`node ${node} cannot be read: ${unreadable.node}`);
  }
  const others = asksForOthers(drain) ? await observeOthers(world, of, drain, signal) : {};
  const attached = asksForVolumes(drain, objects, now, options) ? await reader.attachedVolumes(node, signal) : [];
  return { cluster: objects, attached, unreadable: unreadable.keeping, instance, ...others };
}

/** `null`: it could not be read. */
const instanceOf = async (
  { log }: World,
  { groups }: Cluster,
  { group, instance: id }: Drain,
  signal: AbortSignal,
): Promise<InstanceView | null> =>
  await groups.readInstance(group, id, signal).catch((error: unknown): InstanceView | null => {
    signal.throwIfAborted();
    log.warn(`Instance ${id} of ${group} could not be read; it is tried again`, { error });
    return null;
  });

/** The other drains of its group, and which of their instances are in the group again. */
async function observeOthers(
  world: World,
  of: Cluster,
  drain: Drain,
  signal: AbortSignal,
): Promise<Required<Pick<DrainObservation, 'others' | 'returned'>>> {
  const others = othersOf(drain, await world.drains.list(of.name, signal));
  const outside = await Promise.all(
    others.filter(wasOutside).map(async (other) => ({
      node: other.node,
      instance: await instanceOf(world, of, other, signal),
    })),
  );
  return { others, returned: outside.flatMap(({ node, instance }) => (instance?.state === 'in group' ? node : [])) };
}
