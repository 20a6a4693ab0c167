import { inIntentOrder } from '../intent-order.ts';
import { hasEnded, type StoredDrain } from '../../model/drain.ts';
import type { Intent, SetSizeIntent } from '../../model/intent.ts';
import type { NodeGroup, ResizedByOthers } from '../../model/node-group.ts';
import type { State } from '../../model/state.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { valueOf } from '../../model/values/records.ts';
import { sortedRecord } from '../../model/values/sorted.ts';
import type { GroupName, InstanceId } from '../../model/values/names.ts';
import { addTime, type EpochMs, minutes } from '../../model/values/time.ts';
import { isJustDone } from './in-flight-changes.ts';

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
 * where there is none, or none is certain: the size is not shown yet, or another one is being set. Each instance that a drain
 * or a deletion has ended since, or may be ending, may explain one node less; and one more than was observed, where the
 * description is older.
 */
export function resizedByOthers(group: SizedGroup, stored: OwnWork, now: EpochMs): ResizedByOthers | null {
  const own = stored.intents.filter((intent) => intent.group === group.name).toSorted(inIntentOrder);
  const sizes = own.filter((intent): intent is SetSizeIntent => intent.kind === 'SetSize' && !hasSetNothing(intent));
  const last = sizes.at(-1);
  const from = last?.to ?? valueOf(stored.state.seenSizes, group.name);
  if (from === undefined || (last !== undefined && last.status !== 'done')) {
    return null;
  }
  const counted = mapOptional(last, ({ drained }) => new Set(drained)) ?? endedBefore(stored);
  const ended = endedInstances(group.name, own, stored.drains, counted);
  const to = group.targetSize;
  const mayBe = (size: number, older = 0): boolean => to <= size + older && to >= size - ended;
  const isOld = sizes.some((one) => isJustDone(one, now) && mayBe(one.from));
  const isAsBefore = isOld || mayBe(from, last === undefined ? ended : 0);
  return isAsBefore ? null : { from, to };
}

/** An earlier attempt may have set the size of an intent whose later attempt was refused. */
const hasSetNothing = ({ status, attempts }: SetSizeIntent): boolean => status === 'refused' && attempts <= 1;

/** Number of instances of a group that Outrigger has ended, or may be ending, without those that the size counts already. */
function endedInstances(
  group: GroupName,
  own: readonly Intent[],
  drains: readonly StoredDrain[],
  counted: ReadonlySet<InstanceId>,
): number {
  // A drain that goes on may have ended its instance since the drains were loaded.
  const drained = drains
    .map(({ drain }) => drain)
    .filter((drain) => drain.group === group && (drain.terminateAskedAt !== null || !hasEnded(drain)))
    .map(({ instance }) => instance);
  const deleted = own.filter((intent) => intent.kind === 'DeleteInstances').flatMap(({ instances }) => instances);
  return new Set(drained).difference(counted).union(new Set(deleted)).size;
}

/** The drained instances whose end the sizes that were observed last show. */
function endedBefore({ drains, state: { lastScaleUpEvaluation: last } }: OwnWork): ReadonlySet<InstanceId> {
  const isShown = (at: EpochMs | null): boolean =>
    at !== null && last !== undefined && addTime(at, SHOWN_FOR_SURE) < last;
  return new Set(
    drains.filter(({ drain }) => isShown(drain.terminateAskedAt)).map(({ drain: { instance } }) => instance),
  );
}
