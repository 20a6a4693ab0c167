import { sortedBy } from '@outrigger/core/model/values/sorted.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import type { Decision, Destination, Removal, Unremovable } from '@outrigger/core/model/decision.ts';
import { type DurationMs, type EpochMs, formatDuration, formatTime } from '@outrigger/core/model/values/time.ts';
import { SCALE_DOWN_RESULTS } from '@outrigger/core/words/outcomes.ts';
import { WHY_NODE_STAYS } from '@outrigger/core/words/why-node-stays.ts';
import { WHY_POD_BLOCKS } from '@outrigger/core/words/why-pod-blocks.ts';
import { textIf, presentItems } from '@outrigger/core/model/values/optional.ts';
import { pluralOf } from '@outrigger/core/model/values/counted.ts';
import { shortName } from '../terminal/text.ts';
import { wrap } from '../terminal/wrap.ts';
import { columns, titled } from '../terminal/layout.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/**
 * The scale-down part of a decision as text: the unneeded nodes and since when they are, the nodes that are removed and
 * where their pods fit, and why the other nodes stay.
 */
export function tellScaleDown({ scaleDown, state }: Decision, width: number): readonly (readonly string[])[] {
  const { result, message, removals, unneeded, unremovable } = scaleDown;
  const said = presentItems([`Scale-down: ${result}, ${SCALE_DOWN_RESULTS[result].short}`, message]);
  const isSilent = unneeded.length + removals.length + unremovable.length === 0 && message === null;
  return [
    isSilent ? [] : wrap(said.join(': '), width),
    titled(
      TITLES.unneeded,
      columns(
        unneeded.map((node) => [node, unneededSince(valueOf(state.unneededSince, node), state.lastEvaluation)]),
        width,
      ),
    ),
    titled(TITLES.removed, columns(removals.map(removed), width)),
    titled(TITLES.kept, columns(rowsOf(unremovable), width, ['left', 'right'])),
  ];
}

function removed({ node, group, kind, pods, destinations }: Removal): readonly string[] {
  const them = pluralOf('it', pods.length, 'them');
  const places = textIf(destinations.length > 0, `; room for ${them} on ${placesOf(destinations)}`);
  return [node, group, kind === 'empty' ? 'empty' : `drained of ${firstNames(pods.map(shortName))}${places}`];
}

const placesOf = (destinations: readonly Destination[]): string =>
  firstNames(destinations.map(({ node, pods }) => `${node}${textIf(pods !== 1, ` (${pods})`)}`));

function unneededSince(since: EpochMs | undefined, now: EpochMs | null): string {
  if (since === undefined) {
    return '';
  }
  const sinceThen = `since ${formatTime(since)}`;
  if (now === null || now <= since) {
    return sinceThen;
  }
  return `for ${formatDuration((now - since) as DurationMs)}, ${sinceThen}`;
}

/** A row for all nodes that stay for the same reason: reason, count, names and explanation. */
function rowsOf(unremovable: readonly Unremovable[]): readonly (readonly string[])[] {
  const alike = Map.groupBy(unremovable, ({ reason, podReason }) => `${reason} ${podReason ?? ''}`);
  return sortedBy([...alike], ([key]) => key).map(([, same]) => {
    const { reason, podReason, message } = firstItem(same);
    const names = firstNames(same.map(({ node, pod }) => (pod === undefined ? node : `${node} (${shortName(pod)})`)));
    const exactly = message !== undefined && same.every((other) => other.message === message) ? message : null;
    const why = exactly ?? (podReason === undefined ? WHY_NODE_STAYS[reason] : WHY_POD_BLOCKS[podReason]).short;
    return [reason, String(same.length), `${names}: ${podReason === undefined ? why : `${podReason}, ${why}`}`];
  });
}
