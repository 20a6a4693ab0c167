import {
  asksForInstance,
  asksForVolumes,
  type DrainObservation,
  unreadableOf,
} from '@outrigger/core/drain/observation.ts';
import { needsOtherDrains, otherDrainsOf, wasOutsideGroup } from '@outrigger/core/drain/group-drain.ts';
import type { Drain } from '@outrigger/core/model/drain.ts';
import type { InstanceView } from '@outrigger/core/model/node-group.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { DrainRun } from '../shared/services.ts';

/**
 * Reads what the next step of a drain depends on: the node, and the instance if the drain asks for it. An instance that
 * cannot be read is unknown; the drain decides how to go on.
 *
 * @throws Error when the node cannot be read
 */
export async function observeDrain(
  run: DrainRun,
  drain: Drain,
  now: EpochMs,
): Promise<Omit<DrainObservation, 'results'>> {
  const { signal } = run;
  const { options, reader } = run.cluster;
  const { node, phase } = drain;
  const [{ objects, rejected }, instance] = await Promise.all([
    // A node that is freed again is so whatever is on it.
    reader.readNode(node, signal, phase === 'RollingBack' ? 'alone' : 'with pods'),
    asksForInstance(phase) ? instanceOf(run, drain) : null,
  ]);
  const unreadable = unreadableOf(rejected);
  if (unreadable.node !== null && objects.nodes.length === 0) {
    // Not being readable is not being gone.
    throw new Error(`node ${node} cannot be read: ${unreadable.node}`);
  }
  const others = needsOtherDrains(drain) ? await observeOthers(run, drain) : {};
  const attached = asksForVolumes(drain, objects, now, options) ? await reader.attachedVolumes(node, signal) : [];
  return { cluster: objects, attached, unreadable: unreadable.keeping, instance, ...others };
}

/** `null`: it could not be read. */
const instanceOf = async (
  { services, cluster, signal }: DrainRun,
  { group, instance: id }: Drain,
): Promise<InstanceView | null> =>
  await cluster.groups.readInstance(group, id, signal).catch((error: unknown): InstanceView | null => {
    signal.throwIfAborted();
    services.log.warn(`Instance ${id} of ${group} could not be read; it is tried again`, { error });
    return null;
  });

/** The other drains of its group, and which of their instances are in the group again. */
async function observeOthers(
  run: DrainRun,
  drain: Drain,
): Promise<Required<Pick<DrainObservation, 'others' | 'returned'>>> {
  const others = otherDrainsOf(drain, await run.services.drains.list(run.cluster.name, run.signal));
  const outside = await Promise.all(
    others.filter(wasOutsideGroup).map(async (other) => ({
      node: other.node,
      instance: await instanceOf(run, other),
    })),
  );
  const returned = outside.filter(({ instance }) => instance?.state === 'in group').map(({ node }) => node);
  return { others, returned };
}
