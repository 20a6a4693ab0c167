import type { GroupName } from '../../core/model/values/names.ts';
import type { Intent } from '../../core/model/intent.ts';
import type { Pod } from '../../core/model/cluster/pod.ts';
import { minutes } from '../../core/model/values/time.ts';
import type { GroupView, SimulatedInstance } from '../../providers/simulated/auto-scaling.ts';
import type { WorldEvent } from '../../providers/simulated/world-event.ts';
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
