import type { PodKey } from '../../model/values/names.ts';
import type { EpochMs } from '../../model/values/time.ts';
import { disruptionText } from '../../words/disruption.ts';
import { MODE_WORDS } from '../../words/modes.ts';
import { noticeText, shortageText } from '../../words/notices.ts';
import type { DisruptionExplanation } from '../disruptions.ts';
import type { GroupExplanation } from '../group.ts';
import type { HeadroomExplanation } from '../headroom.ts';
import type { WaitingPods } from '../pod.ts';
import {
  costText,
  drainLines,
  LAST_CHANGE,
  nodesText,
  outcomeText,
  partText,
  sizeText,
  troubleText,
  unneededText,
} from '../sentences.ts';
import type { ClusterStatus } from '../status.ts';
import { TITLES } from '../titles.ts';
import { type PageRow, rowOf, type TitledRows } from './page.ts';

// The rows of a status, the same for `outrigger status`, the dashboard's widget and the live page, which lay them out.

/** `Drains (3)`. */
export const sectionTitle = (title: string, count: number): string => `${title} (${count})`;

/** A row about a node group, or about an object that is named when there is none. */
const aboutGroup = (group: string | null, otherwise: string, text: string, details: string | null = null): PageRow =>
  rowOf(text, { names: [group ?? otherwise], kind: group === null ? null : 'group', details });

const aboutNodes = (names: readonly string[], groups: string, lines: readonly string[]): PageRow =>
  rowOf('', { names, kind: 'node', groups, lines });

export const headroomRows = (headroom: readonly HeadroomExplanation[]): readonly PageRow[] =>
  headroom.map(({ group, name, text, advice }) => aboutGroup(group, name, text, advice));

export const replacementRows = (disruptions: readonly DisruptionExplanation[]): readonly PageRow[] =>
  disruptions.map((one) => aboutNodes(one.nodes, one.groups.join(', '), [disruptionText(one)]));

/** Facts about the whole cluster. */
export const statusFacts = ({ cluster, mode, at, scaleUp, scaleDown, healthy, nodes, cost }: ClusterStatus) =>
  [
    ['Cluster', cluster],
    ['Mode', `${mode}: ${MODE_WORDS[mode].short}`],
    ['Scale-up', partText(scaleUp, at, LAST_CHANGE.scaleUp)],
    ['Scale-down', partText(scaleDown, at, LAST_CHANGE.scaleDown)],
    ['Nodes', nodesText({ nodes, healthy })],
    ['Cost', costText(cost)],
  ] as const;

/** The sections of a status, but for those of pods and of node groups. */
export const statusSections = ({ at, ...status }: ClusterStatus) =>
  ({
    corrections: {
      title: TITLES.corrections,
      rows: status.corrections.map(({ about, what, advice }) =>
        rowOf(what, { names: [about ?? 'cluster'], details: advice }),
      ),
    },
    pauses: { title: TITLES.pauses, rows: status.pauses.map(({ text }) => rowOf(text)) },
    unneeded: {
      title: TITLES.unneeded,
      rows: status.unneeded.map((one) => aboutNodes([one.node], one.group ?? '', [unneededText(one, at)])),
    },
    drains: {
      title: TITLES.drains,
      rows: status.drains.map((drain) => aboutNodes([drain.node], drain.group, drainLines(drain, at))),
    },
    replacements: { title: TITLES.replacements, rows: replacementRows(status.disruptions) },
    headroom: { title: TITLES.headroom, rows: headroomRows(status.headroom) },
    budgets: {
      title: TITLES.budgets,
      rows: status.budgets.map(({ group, text }) => aboutGroup(group, 'cluster', text)),
    },
    notices: {
      title: TITLES.notices,
      rows: status.notices.map((notice) => ({
        ...aboutNodes([notice.node ?? notice.instance], notice.group, [noticeText(notice)]),
        kind: notice.node === null ? null : 'node',
      })),
    },
    shortages: { title: TITLES.shortages, rows: status.shortages.map((one) => rowOf(shortageText(one))) },
  }) satisfies Readonly<Record<string, TitledRows>>;

/** A node group. */
interface GroupRow {
  readonly group: string;
  readonly size: string;
  /** `?`: not known. */
  readonly min: string;
  readonly max: string;
  readonly ready: number;
  readonly upcoming: number;
  /** Empty: nothing is wrong. */
  readonly trouble: string;
}

export const groupRow = (group: GroupExplanation, at: EpochMs): GroupRow => ({
  group: group.group,
  size: sizeText(group),
  min: String(group.min ?? '?'),
  max: String(group.max ?? '?'),
  ready: group.nodes.ready,
  upcoming: group.upcoming,
  trouble: troubleText(group, at),
});

/** Pods with the same outcome for the same reasons. */
interface PodRow {
  readonly pods: readonly PodKey[];
  readonly outcome: string;
  readonly reasons: readonly string[];
  readonly details: readonly string[];
}

export const podRow = ({ pods, reasons, details, ...outcome }: WaitingPods): PodRow => ({
  pods,
  outcome: outcomeText(outcome),
  reasons,
  details,
});
