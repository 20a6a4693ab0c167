import type { Decision, GroupReport, NodeCounts } from '../../core/model/decision.ts';
import { formatTime } from '../../core/model/values/time.ts';
import { GROUP_WARNINGS } from '../../core/words/why-group-skipped.ts';
import { counted } from '../../core/model/values/counted.ts';
import { table } from '../terminal/table.ts';
import { titled } from './layout.ts';

/** A node is in one of these classes, or a machine is no node. */
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
 * Tells how the cluster is to people: all nodes together by their classes, those classes that there are, and each group
 * that is not as it should be, with what is wrong. Nothing where there is no node and no machine.
 */
export function tellRegistry({ registry }: Decision): readonly (readonly string[])[] {
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
  return [
    titled(
      `Cluster: ${clusterHealthy ? 'healthy' : 'unhealthy'}, ${counted(totals.registered, 'node')}`,
      shown.length === 0 && ailing.length === 0
        ? []
        : table(
            [
              ['', ...shown.map(([, title]) => title), ''],
              ...rows.map(([name, counts, trouble]) => [name, ...shown.map(([of]) => String(counts[of])), trouble]),
            ],
            ['left', ...shown.map(() => 'right' as const), 'left'],
          ),
    ),
  ];
}

const isAiling = (report: GroupReport): boolean =>
  !report.healthy ||
  report.backoffUntil !== null ||
  report.incorrectSize !== null ||
  report.ready !== report.target ||
  report.registered !== report.ready ||
  report.warnings !== undefined;

function troubleOf({ healthy, target, incorrectSize, backoffUntil, warnings = [] }: GroupReport): string {
  return [
    `target ${target}`,
    ...(healthy ? [] : ['unhealthy']),
    ...(incorrectSize === null
      ? []
      : [
          `${incorrectSize.current} instead of ${incorrectSize.expected} nodes since ${formatTime(incorrectSize.firstObserved)}`,
        ]),
    ...(backoffUntil === null ? [] : [`in backoff until ${formatTime(backoffUntil)}`]),
    ...warnings.map((warning) => `${GROUP_WARNINGS[warning].short}: ${GROUP_WARNINGS[warning].advice}`),
  ].join(', ');
}
