import { knownGroups } from '@outrigger/core/explanation/group.ts';
import { keptNodes, knownNodes } from '@outrigger/core/explanation/node.ts';
import { knownPods } from '@outrigger/core/explanation/pod.ts';
import { outcomeText } from '@outrigger/core/explanation/sentences.ts';
import type { ClusterRecord } from '@outrigger/core/explanation/cluster-record.ts';
import type { ClusterStatus } from '@outrigger/core/explanation/status.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import type { List } from '../../schema/widget-call.ts';
import { type Subject, SUBJECTS } from '@outrigger/core/explanation/pages/page.ts';
import { type MarkupContent, markup, type Markup } from '../markup.ts';
import { lines, link, type Links, nameLink, note, section, tableElement } from './elements.ts';
import { groupTable, keptTable } from './overview.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';
import { sectionTitle } from '@outrigger/core/explanation/pages/status-rows.ts';

/** Rows of a page of a list. */
const PAGE = 50;

interface ListContent {
  readonly title: string;
  readonly count: number;
  readonly rows: (from: number, to: number) => MarkupContent;
}

/** A page of a list, with links to the previous and next page. A page beyond the last one is the last one. */
export function listPage(
  { list, page: wanted }: { readonly list: List; readonly page: number },
  record: ClusterRecord,
  status: ClusterStatus,
  links: Links,
): MarkupContent {
  const { title, count, rows } = listOf(list, record, status, links);
  const pages = Math.max(1, Math.ceil(count / PAGE));
  const page = Math.min(wanted, pages);
  const from = (page - 1) * PAGE;
  const to = Math.min(from + PAGE, count);
  const beside = (text: string, target: number): Markup | null =>
    target < 1 || target > pages ? null : link(links, text, { list, page: target });
  return section(sectionTitle(title, count), [
    count === 0 ? note('There are none.') : rows(from, to),
    pages === 1
      ? null
      : markup`<div class="og-pages">${beside('← Previous', page - 1)}<span>${from + 1} – ${to} of ${count}</span>${beside('Next →', page + 1)}</div>`,
  ]);
}

function listOf(list: List, record: ClusterRecord, { pods, groups, at }: ClusterStatus, links: Links): ListContent {
  switch (list) {
    case 'pods': {
      const all = pods.flatMap(({ pods: same, ...why }) => same.map((pod) => ({ pod, ...why })));
      return {
        title: TITLES.pendingPods,
        count: all.length,
        rows: (from, to) =>
          tableElement(
            all
              .slice(from, to)
              .map(({ pod, reasons, ...outcome }) => [
                nameLink(links, 'pod', pod),
                [markup`<div>${outcomeText(outcome)}</div>`, lines(reasons)],
              ]),
          ),
      };
    }
    case 'groups':
      return {
        title: TITLES.groups,
        count: groups.length,
        rows: (from, to) => groupTable(groups.slice(from, to), at, links),
      };
    case 'nodes': {
      const kept = keptNodes(record);
      return {
        title: TITLES.kept,
        count: kept.length,
        rows: (from, to) => keptTable(record, kept.slice(from, to), links),
      };
    }
  }
}

/** Pods, nodes and groups whose name contains a text, or is the text. */
export function found(record: ClusterRecord, text: string): readonly { subject: Subject; name: string }[] {
  const wanted = text.toLowerCase();
  const known: Readonly<Record<Subject, () => readonly string[]>> = {
    pod: () => knownPods(record),
    node: () => knownNodes(record),
    group: () => knownGroups(record),
  };
  return SUBJECTS.flatMap((subject) =>
    known[subject]()
      .filter((name) => name.toLowerCase().includes(wanted))
      .toSorted(byName)
      .map((name) => ({ subject, name })),
  );
}

const KINDS: Readonly<Record<Subject, string>> = { pod: 'pod', node: 'node', group: 'node group' };

/** The names that a search has found, up to a page of them. */
export const foundPage = (text: string, all: ReturnType<typeof found>, links: Links): MarkupContent => [
  section(
    `Names with “${text}” (${all.length})`,
    all.length === 0
      ? note(
          'Nothing is known of such a name. A pod is mentioned where it waits for a node, keeps its node or must move; one that is not had a node or did not exist at the time of the last decision.',
        )
      : tableElement(all.slice(0, PAGE).map(({ subject, name }) => [KINDS[subject], nameLink(links, subject, name)])),
  ),
  all.length > PAGE ? note(`The first ${PAGE} are shown: a longer text finds fewer.`) : null,
];
