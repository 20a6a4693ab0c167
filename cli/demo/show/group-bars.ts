import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { columnTable } from '../../terminal/table.ts';
import { type Colors, fitted, type Style } from '../../terminal/text.ts';
import type { RecordingGroup } from '@outrigger/simulation/recording/recording.ts';
import { textIf } from '@outrigger/core/model/values/optional.ts';
import type { Stage, StagedGroup } from './stage.ts';

const MOST_ROWS = 8;
/** With more groups than this, only the groups with nodes to come have a bar. */
const MOST_BARS = 3;

/** Every node group has as many ready nodes as its target size. */
export const isComplete = ({ groups }: Stage): boolean =>
  [...groups.values()].every(({ ready, desired }) => ready === desired);

/** A bar for each node group, with its zones and its sizes. */
export function groupBars({ groups }: Stage, { colors, width }: Style): readonly string[] {
  let shown = [...groups.values()];
  if (shown.length > MOST_BARS) {
    shown = shown.filter(({ ready, desired }) => ready !== desired).slice(0, MOST_ROWS);
  }
  const rows = shown.map((one) => [
    fitted(one.group.name, width),
    colors.dim(zonesOf(one.group)),
    groupBar(one, colors),
    `${Math.min(one.ready, one.desired)}${textIf(one.desired > one.ready, colors.yellow(`+${one.desired - one.ready}`))}`,
  ]);
  return columnTable(rows);
}

export const zonesOf = ({ zones }: Pick<RecordingGroup, 'zones'>): string =>
  zones.length === 1 ? firstItem(zones) : `${zones.length} zones`;

/** Sizes above this are drawn to scale. */
const MOST_SQUARES = 20;

/** A group's nodes: ready, being removed, upcoming, and the rest up to the maximum size. */
function groupBar({ group: { maxSize: max }, ready, leaving, desired }: StagedGroup, colors: Colors): string {
  const scale = Math.min(1, MOST_SQUARES / max);
  const squares = Math.round(Math.max(max, ready) * scale);
  // A count above 0 has at least one square.
  const part = (count: number): number => (count > 0 ? Math.max(1, Math.round(count * scale)) : 0);
  const full = Math.min(squares, part(ready - leaving));
  const going = Math.min(squares - full, part(leaving));
  const coming = Math.min(squares - full - going, part(desired - ready));
  return (
    colors.green('■'.repeat(full)) +
    colors.red('▨'.repeat(going)) +
    colors.yellow('□'.repeat(coming)) +
    colors.dim('·'.repeat(squares - full - going - coming))
  );
}
