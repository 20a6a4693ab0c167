import type { Decision, GroupReport, NodeCounts } from '@outrigger/core/model/decision.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import { CLOUD_ACTION_WORDS } from '@outrigger/core/words/cloud-actions.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import type { PageSection } from '../explain/show/page.ts';
import { columnTable } from '../terminal/table.ts';
import { titled } from '../terminal/layout.ts';

/** Each node is in one of the first five classes; an instance without a node is in one of the last two. */
const CLASSES: readonly (readonly [of: keyof NodeCounts, title: string])[] = [
  ['ready', 'Ready'],
  ['notStarted', 'NotStarted'],
  ['unready', 'Unready'],
  ['suspended', 'Suspended'],
  ['deleted', 'Deleted'],
  ['unregistered', 'Unregistered'],
  ['longUnregistered', 'LongUnregistered'],
];

/**
 * The cluster-state registry as text: all nodes by class, and each node group with a deviation from its target. Empty
 * where there is no node and no instance.
 */
export function tellRegistry({ registry }: Decision): PageSection {
  const { totals, clusterHealthy } = registry;
  const ailing = Object.entries(registry.groups).filter(([, report]) => isAiling(report));
  if (totals.registered + totals.unregistered + totals.longUnregistered === 0 && ailing.length === 0) {
    return [];
  }
  const rows: readonly (readonly [string, NodeCounts, string])[] = [
    ['in total', totals, ''],
    ...ailing.map(([group, report]) => [group, report, troubleOf(report)] as const),
  ];
  const shown = CLASSES.filter(([of]) => rows.some(([, counts]) => counts[of] > 0));
  if (shown.length === 0 && ailing.length === 0) {
    return [];
  }
  return titled(
    `Cluster: ${clusterHealthy ? 'healthy' : 'unhealthy'}, ${counted(totals.registered, 'node')}`,
    columnTable(
      [
        ['', ...shown.map(([, title]) => title), ''],
        ...rows.map(([name, counts, trouble]) => [name, ...shown.map(([of]) => String(counts[of])), trouble]),
      ],
      ['left', ...shown.map(() => 'right' as const)],
    ),
  );
}

const isAiling = (report: GroupReport): boolean =>
  !report.healthy ||
  report.backoffUntil !== null ||
  report.incorrectSize !== null ||
  report.ready !== report.target ||
  report.registered !== report.ready ||
  (report.warnings ?? []).some((action) => CLOUD_ACTION_WORDS[action].advice !== undefined);

function troubleOf({ healthy, target, incorrectSize, backoffUntil, warnings = [] }: GroupReport): string {
  return presentItems([
    `target ${target}`,
    !healthy && 'unhealthy',
    mapOptional(
      incorrectSize,
      ({ current, expected, firstObserved }) =>
        `${current} instead of ${expected} nodes since ${formatTime(firstObserved)}`,
    ),
    mapOptional(backoffUntil, (until) => `in backoff until ${formatTime(until)}`),
    ...warnings.map((action) => {
      const { short, advice } = CLOUD_ACTION_WORDS[action];
      return presentItems([short, advice]).join(': ');
    }),
  ]).join(', ');
}
