import { valueOf } from '../../core/model/records.ts';
import type {
  Decision,
  Destination,
  Removal,
  ScaleDownDecision,
  Unremovable,
  UnremovableReason,
} from '../../core/model/decision.ts';
import { byName } from '../../core/model/names.ts';
import { type DurationMs, type EpochMs, formatDuration, formatTime } from '../../core/model/time.ts';
import { shortName } from '../demo/text.ts';
import { columns, named, titled } from './layout.ts';

const RESULTS: Readonly<Record<ScaleDownDecision['result'], string>> = {
  Planned: 'nodes are removed',
  Nothing: 'no node is removed',
  Cooldown: 'too early to remove a node',
  Disabled: 'nodes are not removed',
  ClusterUnhealthy: 'nothing is done to an unhealthy cluster',
  UnexpectedError: 'an error of the program stopped it',
};

/** What holds for all nodes that stay for the same reason. */
const STAYS: Readonly<Record<UnremovableReason, string>> = {
  ScaleDownDisabledAnnotation: 'somebody wants it kept',
  ScaleDownUnreadyDisabled: 'not ready, and scaleDownUnreadyEnabled is off',
  NotAutoscaled: 'in no node group',
  NotUnneededLongEnough: 'not unneeded for long enough',
  NotUnreadyLongEnough: 'not ready, and not unneeded for long enough',
  NodeGroupMinSizeReached: 'the node group has its minimum',
  NodeGroupMaxDeletionCountReached: 'others go first',
  NodeGroupUpdating: 'the cloud is updating the node group',
  NodeGroupScaleDownDisabled: 'scaleDownEnabled is off for the node group',
  AtomicScaleDownFailed: 'the node group goes as a whole, and cannot',
  MinimalResourceLimitExceeded: 'the cluster would fall below a minimum',
  CurrentlyBeingDeleted: 'on its way out',
  NotUnderutilized: 'used',
  NotUnneededOtherReason: 'needed as things are',
  RecentlyUnremovable: 'looked at a little while ago',
  NoPlaceToMovePods: 'its pods have no other place',
  BlockedByPod: 'a pod of it must stay',
  BlockedByOnCompletionPod: 'a pod of it must end first',
  Unreadable: 'something on it, or about it, cannot be read',
  UnexpectedError: 'something is wrong with it',
};

/**
 * Tells the scale-down part of a decision to people: what is unneeded since when, what goes and where its pods find room,
 * and why the others stay.
 */
export function tellScaleDown({ scaleDown, state }: Decision, width: number): readonly (readonly string[])[] {
  const { result, message, removals, unneeded, unremovable } = scaleDown;
  const held = message === null ? '' : `: ${message}`;
  return [
    unneeded.length + removals.length + unremovable.length === 0 && message === null
      ? []
      : [`Scale-down: ${result}, ${RESULTS[result]}${held}`],
    titled(
      'Unneeded',
      columns(
        unneeded.map((node) => [node, unneededSince(valueOf(state.unneededSince, node), state.lastEvaluation)]),
        ['left'],
        width,
      ),
    ),
    titled('Removed', columns(removals.map(removed), ['left', 'left'], width)),
    titled('Nodes that stay', columns(rowsOf(unremovable), ['left', 'right'], width)),
  ];
}

function removed({ node, group, kind, pods, destinations }: Removal): readonly string[] {
  const places =
    destinations.length === 0 ? '' : `; room for ${pods.length === 1 ? 'it' : 'them'} on ${placesOf(destinations)}`;
  return [node, group, kind === 'empty' ? 'empty' : `drained of ${named(pods.map(shortName))}${places}`];
}

const placesOf = (destinations: readonly Destination[]): string =>
  named(destinations.map(({ node, pods }) => (pods === 1 ? node : `${node} (${pods})`)));

function unneededSince(since: EpochMs | undefined, now: EpochMs | null): string {
  if (since === undefined) {
    return '';
  }
  const length = now === null || now <= since ? '' : `for ${formatDuration((now - since) as DurationMs)}, `;
  return `${length}since ${formatTime(since)}`;
}

/** One row for all nodes that stay for the same reason: reason, count, and which and why. */
function rowsOf(unremovable: readonly Unremovable[]): readonly (readonly string[])[] {
  const alike = Map.groupBy(unremovable, ({ reason, podReason }) => `${reason} ${podReason ?? ''}`);
  return [...alike.values()]
    .toSorted(([a], [b]) => byName(a!.reason, b!.reason) || byName(a!.podReason ?? '', b!.podReason ?? ''))
    .map((same) => {
      const [{ reason, podReason, message }] = same as [Unremovable];
      const names = named(same.map(({ node, pod }) => (pod === undefined ? node : `${node} (${shortName(pod)})`)));
      const why = message !== undefined && same.every((other) => other.message === message) ? message : STAYS[reason];
      return [reason, String(same.length), `${names}: ${podReason === undefined ? why : `${podReason}, ${why}`}`];
    });
}
