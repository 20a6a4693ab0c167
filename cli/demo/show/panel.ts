import { firstItem } from '../../../core/model/values/existing.ts';
import { groupBar, podBar } from './bars.ts';
import type { Stage } from './stage.ts';
import { zonesOf } from './group-bars.ts';
import { columnTable } from '../../terminal/table.ts';
import { clockTime, fitted, type Style } from '../../terminal/text.ts';

const MOST_GROUPS = 10;

/** The panel below the story: the time, each node group, the pods. */
export function panelLines(stage: Stage, at: number, style: Style): readonly string[] {
  const { colors, width } = style;
  const columns = Math.min(width, 100);
  const time = ` ${clockTime(at)} `;
  const rows = [...stage.groups.values()].slice(0, MOST_GROUPS).map((one) => {
    const { group, ready, leaving, desired } = one;
    const coming = Math.max(0, desired - ready);
    return [
      fitted(group.name, width),
      ...(width < 60 ? [] : [colors.dim(zonesOf(group))]),
      groupBar(one, colors),
      `${ready - leaving} ready${leaving > 0 ? colors.red(`, ${leaving} being removed`) : ''}${coming > 0 ? colors.yellow(`, ${coming} booting`) : ''}`,
    ];
  });
  const { running, starting, pending } = stage.pods;
  return [
    colors.dim(`──${time}${'─'.repeat(Math.max(0, columns - time.length - 3))}`),
    ...columnTable(
      rows,
      firstItem(rows).map(() => 'left' as const),
    ),
    podBar(stage.pods, Math.max(10, columns - 1), colors),
    `pods  ${colors.green(`${running} running`)}  ${colors.cyan(`${starting} starting`)}  ${colors.yellow(`${pending} pending`)}`,
  ];
}
