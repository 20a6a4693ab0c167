import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { columnTable } from '../../terminal/table.ts';
import { fitted, type Style } from '../../terminal/text.ts';
import type { RecordingGroup } from '@outrigger/simulation/recording/recording.ts';
import { textIf } from '@outrigger/core/model/values/optional.ts';
import { groupBar } from './bars.ts';
import type { Stage } from './stage.ts';

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
