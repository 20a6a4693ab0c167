import type { GroupName } from '../../core/model/values/names.ts';
import type { Intent } from '../../core/model/intent.ts';
import type { Pod } from '../../core/model/cluster/pod.ts';
import { addTime, type DurationMs, type EpochMs, minutes } from '../../core/model/values/time.ts';
import type { GroupView, SimulatedInstance } from '../../simulation/cloud/group-view.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import type { WorldEvent } from '../../simulation/world-event.ts';
import { SIZE_LABEL } from './pools.ts';
import { MAX_SKEW_MS } from './runtime.ts';

/** How long functions wait for an instance to register and for a node to get ready, by clocks that may be off. */
export const PATIENCE_MS = minutes(15) - 2 * MAX_SKEW_MS - 30_000;

export const unitsOf = (pod: Pod): number => Number(pod.labels[SIZE_LABEL] ?? 0);

export const members = ({ instances }: GroupView): readonly SimulatedInstance[] =>
  instances.filter(({ state }) => state !== 'Deleting');

/** Sorts by the version of the decision, then by the position among the intents for the group. */
function order({ id }: Intent): number {
  const [version = '', place = '0'] = id.split('-', 1)[0]!.split('.');
  return Number(version) * 1_000 + Number(place);
}

/** Pending intents of a group, in the order in which they are carried out. */
export const pendingOf = (group: GroupName, intents: readonly Intent[]): readonly Intent[] =>
  intents
    .filter((intent) => intent.group === group && intent.status === 'pending')
    .toSorted((a, b) => order(a) - order(b));

/** A MachineDeployment with the strategy OnDelete takes a smaller size from its Machines of the oldest template, whichever is marked. */
export const takesMarkedFirst = (
  { instances }: Pick<GroupView, 'instances'>,
  { provider }: Pick<SimulatedWorld, 'provider'>,
): boolean => provider === 'aws' || new Set(instances.map(({ version }) => version ?? 1)).size === 1;

/** Looks again and again, from the first time and before the second. */
export function lookEvery(
  ms: DurationMs,
  { clock }: Pick<SimulatedWorld, 'clock'>,
  from: EpochMs,
  until: EpochMs,
  look: () => void,
): void {
  for (let at = from; at < until; at = addTime(at, ms)) clock.at(at, look);
}

/** Another client has changed the instances or the desired size of a group. */
export const isChangeElsewhere = ({ kind }: WorldEvent): boolean =>
  [
    'SizeSetElsewhere',
    'BoundsSetElsewhere',
    'GroupDeleted',
    'GroupCreated',
    'ZonesBalanced',
    'StandbyEntered',
    'StandbyLeft',
    'Untagged',
    'Tagged',
  ].includes(kind);
