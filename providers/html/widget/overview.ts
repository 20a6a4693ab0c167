import { raw } from 'hono/html';
import type { GroupExplanation } from '@outrigger/core/explanation/group.ts';
import { explainNode } from '@outrigger/core/explanation/node.ts';
import type { TitledRows } from '@outrigger/core/explanation/pages/page.ts';
import type { ClusterRecord } from '@outrigger/core/explanation/cluster-record.ts';
import { staysText } from '@outrigger/core/explanation/sentences.ts';
import {
  groupRow,
  podRow,
  sectionTitle,
  statusFacts,
  statusSections,
} from '@outrigger/core/explanation/pages/status-rows.ts';
import type { ClusterStatus } from '@outrigger/core/explanation/status.ts';
import type { NodeName } from '@outrigger/core/model/values/names.ts';
import { printable, printableData } from '@outrigger/core/model/values/printable.ts';
import type { HistoryEntry } from '@outrigger/core/ports/decision-history.ts';
import { explain } from '@outrigger/core/words/explain.ts';
import { sinceText } from '@outrigger/core/words/when.ts';
import type { List } from '../../schema/widget-call.ts';
import { type MarkupContent, markup, type Markup } from '../markup.ts';
import { draw, type Element, sidesOf, summaryOf } from '../picture/draw.ts';
import { pictureOfRecord } from '../picture/of-record.ts';
import { limitNodes, type Picture } from '../picture/picture.ts';
import {
  factTable,
  lines,
  link,
  type Links,
  nameLink,
  nameLinks,
  note,
  rowTable,
  section,
  tableElement,
  tableSection,
} from './elements.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/** Rows of a table on the first page; the lists have the others. */
const MOST_ROWS = 8;
/**
 * Nodes in the picture. CloudWatch shows what Lambda answers, up to 6 MB, and the picture of a node takes 0.4 KB on each side, with the
 * longest names 0.9 KB.
 */
const MOST_NODES = 2_500;
/** Names of pods with the same outcome. */
const MOST_NAMES = 3;

/** The first page: what needs correction, pending pods, node groups, nodes that are removed, and nodes that are kept. */
export function overview(
  record: ClusterRecord,
  status: ClusterStatus,
  { kept, decisions }: { readonly kept: readonly NodeName[]; readonly decisions: readonly HistoryEntry[] },
  links: Links,
): MarkupContent {
  const { omitted } = status;
  const sections = statusSections(status);
  const shown = ({ title, rows }: TitledRows, most = MOST_ROWS, look: 'plain' | 'alert' = 'plain'): Markup | null =>
    section(sectionTitle(title, rows.length), rowTable(rows, links, most), look);
  return [
    factTable(statusFacts(status), links),
    shown(sections.pauses, Infinity, 'alert'),
    shown(sections.corrections, Infinity, 'alert'),
    podsSection(status, links),
    groupsSection(status, links),
    pictureSection(record),
    shown(sections.headroom),
    shown(sections.budgets),
    shown(sections.notices),
    shown(sections.shortages),
    shown(sections.unneeded),
    shown(sections.replacements),
    shown(sections.drains),
    keptSection(record, kept, links),
    decisionsSection(record, status, decisions),
    omitted.length === 0 ? null : note(`Too large to be stored whole; left out: ${omitted.join('; ')}.`),
  ];
}

function podsSection({ pods }: ClusterStatus, links: Links): Markup | null {
  const waiting = pods.reduce((sum, { pods: same }) => sum + same.length, 0);
  const rows = pods
    .slice(0, MOST_ROWS)
    .map(podRow)
    .map(({ pods: same, outcome, reasons }) => [
      markup`<span class="og-number">${same.length}</span>`,
      [
        markup`<div>${outcome}: ${nameLinks(links, { kind: 'pod', names: same, after: '' }, MOST_NAMES)}</div>`,
        lines(reasons),
      ],
    ]);
  return section(sectionTitle(TITLES.pendingPods, waiting), [
    waiting === 0 ? note('No pod is pending.') : tableElement(rows),
    allOf(links, 'pods', `All ${waiting} pods, each with its reasons`, waiting > MOST_NAMES),
  ]);
}

const groupsSection = ({ groups, at }: ClusterStatus, links: Links): Markup | null =>
  section(sectionTitle(TITLES.groups, groups.length), [
    groupTable(groups.slice(0, MOST_ROWS), at, links),
    allOf(links, 'groups', `All ${groups.length} node groups`, groups.length > MOST_ROWS),
  ]);

/** The nodes as boxes, after the last decisions; nothing where no decision has the nodes. */
function pictureSection(record: ClusterRecord): Markup | null {
  const picture = printableData(pictureOfRecord(record)) as Picture | null;
  if (picture === null) {
    return null;
  }
  const drawn = limitNodes(picture, MOST_NODES);
  return section('Nodes before and after', [
    note(`${summaryOf(picture)} Dashed: a new node. Crossed: removed. Point at a box for the reason.`),
    ...sidesOf(picture).map(([side, title]) => [note(title), toMarkup(draw(drawn, side))]),
  ]);
}

const toMarkup = ({ tag, attributes, children }: Element): Markup => {
  const written = Object.entries(attributes).map(([name, value]) => markup` ${raw(name)}="${value}"`);
  return markup`<${raw(tag)}${written}>${children.map((child) => (typeof child === 'string' ? child : toMarkup(child)))}</${raw(tag)}>`;
};

/** Node groups with their sizes and their problems. */
export const groupTable = (groups: readonly GroupExplanation[], at: ClusterStatus['at'], links: Links): Markup | null =>
  tableElement(
    groups.map((group) => {
      const { size, min, max, ready, upcoming, trouble } = groupRow(group, at);
      return [
        [nameLink(links, 'group', group.group), note(trouble)],
        markup`<span class="og-number">${size}</span>`,
        [`${min} – ${max} `, bar(group)],
        ready,
        upcoming,
      ];
    }),
    ['Name', 'Size', 'Min – max', 'Ready', 'Upcoming'],
  );

/** How much of its maximum a group has. */
function bar({ target, max }: GroupExplanation): Markup | null {
  if (max === null || max === 0) {
    return null;
  }
  const percent = Math.round(Math.min(target / max, 1) * 100);
  return markup`<span class="og-bar"><i style="width:${percent}%"></i></span>`;
}

function keptSection(record: ClusterRecord, kept: readonly NodeName[], links: Links): Markup | null {
  if (kept.length === 0) {
    return null;
  }
  return section(sectionTitle(TITLES.kept, kept.length), [
    keptTable(record, kept.slice(0, MOST_ROWS), links),
    allOf(links, 'nodes', `All ${kept.length} nodes, each with its reason`, kept.length > MOST_ROWS),
  ]);
}

/** Nodes, and why each stays. */
export const keptTable = (record: ClusterRecord, nodes: readonly NodeName[], links: Links): Markup | null =>
  tableElement(
    nodes.map((node) => {
      const unremovable = explainNode(record, node)?.unremovable ?? null;
      return [nameLink(links, 'node', node), mapOptional(unremovable, (one) => [staysText(one), note(one.advice)])];
    }),
  );

/** The decisions of the history; without any, the latest decision of each part. */
function decisionsSection(
  { scaleUp, scaleDown }: ClusterRecord,
  { at, ...status }: ClusterStatus,
  decisions: readonly HistoryEntry[],
): Markup | null {
  const latest = [
    { kind: 'scale-up', decision: scaleUp, decidedAt: status.scaleUp.decidedAt },
    { kind: 'scale-down', decision: scaleDown, decidedAt: status.scaleDown.decidedAt },
  ].flatMap(({ kind, decision, decidedAt }) =>
    decision === null || decidedAt === null ? [] : [{ at: decidedAt, kind, did: explain(decision).message }],
  );
  return tableSection(
    TITLES.decisions,
    (decisions.length > 0 ? decisions : latest).map((one) => [
      [markup`<div>${printable(one.did)}</div>`, note(`${one.kind}, ${sinceText(one.at, at)}`)],
    ]),
  );
}

const allOf = (links: Links, list: List, text: string, isLonger: boolean): Markup | null =>
  isLonger ? markup`<div class="og-pages">${link(links, text, { list, page: 1 })}</div>` : null;
