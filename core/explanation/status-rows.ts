import type { PodKey } from '../model/values/names.ts';
import type { EpochMs } from '../model/values/time.ts';
import { disruptionText } from '../words/disruption.ts';
import { noticeText, shortageText } from '../words/notices.ts';
import type { DisruptionExplanation } from './disruptions.ts';
import type { GroupExplanation } from './group.ts';
import type { HeadroomExplanation } from './headroom.ts';
import type { WaitingPods } from './pod.ts';
import { drainLines, outcomeText, sizeText, troubleText, unneededText } from './sentences.ts';
import type { ClusterStatus } from './status.ts';
import { TITLES } from './titles.ts';

// The rows of a status, the same for `outrigger status`, the dashboard's widget and the live page, which lay them out.

/** A text about objects. */
export interface StatusRow {
  /** Names of the objects; empty for a text that names them itself. */
  readonly names: readonly string[];
  /** Kind of the objects; `null` for objects that have no explanation of their own. */
  readonly kind: 'node' | 'group' | null;
  /** Node groups of nodes, joined by commas; `null` for other objects. */
  readonly groups: string | null;
  readonly lines: readonly string[];
  readonly advice: string | null;
}

/** Rows under a heading. */
export interface StatusSection {
  readonly name: string;
  readonly rows: readonly StatusRow[];
}

/** `Drains (3)`. */
export const sectionTitle = (title: string, count: number): string => `${title} (${count})`;

/** A row about a node group, or about an object that is named when there is none. */
const aboutGroup = (
  group: string | null,
  otherwise: string,
  text: string,
  advice: string | null = null,
): StatusRow => ({
  names: [group ?? otherwise],
  kind: group === null ? null : 'group',
  groups: null,
  lines: [text],
  advice,
});

const aboutNodes = (names: readonly string[], groups: string, lines: readonly string[]): StatusRow => ({
  names,
  kind: 'node',
  groups,
  lines,
  advice: null,
});

const sentence = (text: string): StatusRow => ({ names: [], kind: null, groups: null, lines: [text], advice: null });

export const headroomSection = (headroom: readonly HeadroomExplanation[]): StatusSection => ({
  name: TITLES.headroom,
  rows: headroom.map(({ group, name, text, advice }) => aboutGroup(group, name, text, advice)),
});

export const replacementsSection = (disruptions: readonly DisruptionExplanation[]): StatusSection => ({
  name: TITLES.replacements,
  rows: disruptions.map((one) => aboutNodes(one.nodes, one.groups.join(', '), [disruptionText(one)])),
});

/** The sections of a status, but for those of pods and of node groups. */
export const statusSections = ({ at, ...status }: ClusterStatus) =>
  ({
    corrections: {
      name: TITLES.corrections,
      rows: status.corrections.map(({ about, what, advice }) => ({
        ...sentence(what),
        names: [about ?? 'cluster'],
        advice,
      })),
    },
    pauses: { name: TITLES.pauses, rows: status.pauses.map(({ text }) => sentence(text)) },
    unneeded: {
      name: TITLES.unneeded,
      rows: status.unneeded.map((one) => aboutNodes([one.node], one.group ?? '', [unneededText(one, at)])),
    },
    drains: {
      name: TITLES.drains,
      rows: status.drains.map((drain) => aboutNodes([drain.node], drain.group, drainLines(drain, at))),
    },
    replacements: replacementsSection(status.disruptions),
    headroom: headroomSection(status.headroom),
    budgets: {
      name: TITLES.budgets,
      rows: status.budgets.map(({ group, text }) => aboutGroup(group, 'cluster', text)),
    },
    notices: {
      name: TITLES.notices,
      rows: status.notices.map((notice) => ({
        ...aboutNodes([notice.node ?? notice.instance], notice.group, [noticeText(notice)]),
        kind: notice.node === null ? null : 'node',
      })),
    },
    shortages: { name: TITLES.shortages, rows: status.shortages.map((one) => sentence(shortageText(one))) },
  }) satisfies Readonly<Record<string, StatusSection>>;

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
