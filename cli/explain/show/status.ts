import { firstNames } from '@outrigger/core/model/values/clip.ts';
import type { TitledRows } from '@outrigger/core/explanation/pages/page.ts';
import {
  groupRow,
  podRow,
  sectionTitle,
  statusFacts,
  statusSections,
} from '@outrigger/core/explanation/pages/status-rows.ts';
import type { ClusterStatus } from '@outrigger/core/explanation/status.ts';
import { itemsIf } from '@outrigger/core/model/values/optional.ts';
import type { Style } from '../../terminal/text.ts';
import { cellsOf, facts, listed, page, prose, type PageSection } from './page.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/** A cluster at a glance: what needs correction first, then groups, pods, unneeded nodes and drains. */
export function formatStatus(status: ClusterStatus, style: Style): string {
  const { headroom, omitted } = status;
  const sections = statusSections(status);
  return page([
    facts(statusFacts(status), style),
    told(sections.corrections, style, 'red'),
    told(sections.pauses, style, 'yellow'),
    groups(status, style),
    pods(status, style),
    told(sections.unneeded, style),
    told(sections.drains, style),
    told(sections.replacements, style),
    told(sections.headroom, style, headroom.some(({ missing }) => missing > 0) ? 'yellow' : 'bold'),
    told(sections.budgets, style),
    told(sections.notices, style),
    told(sections.shortages, style),
    prose(omitted.length > 0 && `Too large to be stored whole; left out: ${omitted.join('; ')}.`, style),
  ]);
}

const told = ({ title, rows }: TitledRows, style: Style, paint: 'bold' | 'red' | 'yellow' = 'bold'): PageSection =>
  listed(sectionTitle(title, rows.length), rows.map(cellsOf), { ...style, paint });

function groups({ groups: all, at }: ClusterStatus, style: Style): PageSection {
  const heading = ['Name', 'Size', 'Min', 'Max', 'Ready', 'Upcoming', ''].map((title) => style.colors.dim(title));
  const rows = all.map((one) => {
    const { group, size, min, max, ready, upcoming, trouble } = groupRow(one, at);
    return [group, size, min, max, String(ready), String(upcoming), trouble];
  });
  return listed(sectionTitle(TITLES.groups, all.length), itemsIf(rows.length > 0, [heading, ...rows]), style, [
    'left',
    'right',
    'right',
    'right',
    'right',
    'right',
  ]);
}

function pods({ pods: all }: ClusterStatus, style: Style): PageSection {
  const waiting = all.flatMap(({ pods: same }) => same).length;
  return listed(
    sectionTitle(TITLES.pendingPods, waiting),
    all
      .map(podRow)
      .map(({ pods: same, outcome, reasons, details }) => [
        String(same.length),
        [`${outcome}: ${firstNames(same)}`, ...reasons, ...details].join('\n'),
      ]),
    { ...style, paint: all.some(({ outcome }) => outcome === 'Unschedulable') ? 'yellow' : 'bold' },
    ['right'],
  );
}
