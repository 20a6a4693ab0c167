import { inOrder } from '../actuation/intent-order.ts';
import type { StoredDrain } from '../model/drain.ts';
import type { Intent, SetSizeIntent } from '../model/intent.ts';
import type { NodeGroup, ResizedByOthers } from '../model/node-group.ts';
import type { State } from '../model/state.ts';
import { valueOf } from '../model/values/records.ts';
import { sortedRecord } from '../model/values/sorted.ts';
import type { GroupName, InstanceId } from '../model/values/names.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';
import { isJustDone } from './in-flight.ts';

type SizedGroup = Pick<NodeGroup, 'name' | 'targetSize'>;

/** The stored work that explains the size of a group. */
interface OwnWork {
  readonly intents: readonly Intent[];
  readonly drains: readonly StoredDrain[];
  readonly state: Pick<State, 'seenSizes' | 'lastScaleUpEvaluation'>;
}

/** A description that was read this long after the end of an instance shows the smaller size. */
const SHOWN_FOR_SURE = minutes(1);

/** The sizes that an evaluation observes, for the next one. */
export const sizesSeen = (groups: readonly SizedGroup[]): Readonly<Record<GroupName, number>> =>
  sortedRecord(groups.map(({ name, targetSize }) => [name, targetSize]));

/**
 * The change that another client has made to the size that was set last, or else to the size that was observed last; `null`
 * where there is none, or none is certain: the size is not shown yet, or another one is being set. Each instance whose end
 * Outrigger has asked for since may explain one node less.
 */
export function resizedByOthers(group: SizedGroup, stored: OwnWork, now: EpochMs): ResizedByOthers | null {
  const own = stored.intents.filter((intent) => intent.group === group.name).toSorted(inOrder);
  const sizes = own.filter((intent): intent is SetSizeIntent => intent.kind === 'SetSize' && !hasSetNothing(intent));
  const last = sizes.at(-1);
  const from = last === undefined ? valueOf(stored.state.seenSizes, group.name) : last.to;
  if (from === undefined || (last !== undefined && last.status !== 'done')) {
    return null;
  }
  const counted = last === undefined ? endedBefore(stored) : new Set(last.drained);
  const ended = endedInstances(group.name, own, stored.drains, counted);
  const to = group.targetSize;
  const isFrom = (size: number): boolean => to <= size && to >= size - ended;
  const isOld = sizes.some((one) => isJustDone(one, now) && isFrom(one.from));
  return isOld || isFrom(from) ? null : { from, to };
}

/** An earlier attempt may have set the size of an intent whose later attempt was refused. */
const hasSetNothing = ({ status, attempts }: SetSizeIntent): boolean => status === 'refused' && attempts <= 1;

/** Number of instances of a group whose end Outrigger has asked for, without those that the size counts already. */
function endedInstances(
  group: GroupName,
  own: readonly Intent[],
  drains: readonly StoredDrain[],
  counted: ReadonlySet<InstanceId>,
): number {
  const drained = drains.flatMap(({ drain }): readonly InstanceId[] =>
    drain.group === group && drain.terminateAskedAt !== null && !counted.has(drain.instance) ? [drain.instance] : [],
  );
  const deleted = own.flatMap((intent) => (intent.kind === 'DeleteInstances' ? intent.instances : []));
  return new Set([...drained, ...deleted]).size;
}

/** The drained instances whose end the sizes that were observed last show. */
function endedBefore({ drains, state: { lastScaleUpEvaluation } }: OwnWork): ReadonlySet<InstanceId> {
  return new Set(
    drains.flatMap(({ drain: { instance, terminateAskedAt: at } }) =>
      at !== null && lastScaleUpEvaluation !== undefined && addTime(at, SHOWN_FOR_SURE) < lastScaleUpEvaluation
        ? [instance]
        : [],
    ),
  );
}
