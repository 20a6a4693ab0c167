import { inOrder } from '../actuation/intent-order.ts';
import type { StoredDrain } from '../model/drain.ts';
import type { Intent } from '../model/intent.ts';
import type { NodeGroup, ResizedByOthers } from '../model/node-group.ts';
import type { InstanceId } from '../model/values/names.ts';
import type { EpochMs } from '../model/values/time.ts';
import { isJustDone } from './in-flight.ts';

/**
 * The change that another client has made to the size that was set last; `null` where there is none, or none is certain: the
 * size is not shown yet, or another one is being set. Each instance whose end Outrigger has asked for since may explain one
 * node less.
 */
export function resizedByOthers(
  group: Pick<NodeGroup, 'name' | 'targetSize'>,
  intents: readonly Intent[],
  drains: readonly StoredDrain[],
  now: EpochMs,
): ResizedByOthers | null {
  const own = intents.filter((intent) => intent.group === group.name).toSorted(inOrder);
  const sizes = own.filter((intent) => intent.kind === 'SetSize');
  const last = sizes.at(-1);
  if (last?.status !== 'done') {
    return null;
  }
  const before = new Set(last.drained);
  const drained = drains.flatMap(({ drain }): readonly InstanceId[] =>
    drain.group === group.name && drain.terminateAskedAt !== null && !before.has(drain.instance)
      ? [drain.instance]
      : [],
  );
  const deleted = own.flatMap((intent) => (intent.kind === 'DeleteInstances' ? intent.instances : []));
  const ended = new Set([...drained, ...deleted]).size;
  const target = group.targetSize;
  const isFrom = (size: number): boolean => target <= size && target >= size - ended;
  const isOld = sizes.some((one) => isJustDone(one, now) && isFrom(one.from));
  return isOld || isFrom(last.to) ? null : { from: last.to, to: target };
}
