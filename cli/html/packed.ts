import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type {
  Picture,
  PictureNode,
  PicturePod,
  PictureState,
  When,
} from '@outrigger/providers/html/picture/picture.ts';
import type { DecisionOfReport, Report, ReportRow, ReportSection } from './report.ts';

/**
 * A report as the page contains it. Most names of pods and nodes are in many decisions, and most rows in the next
 * decision too: each name and row is stored once, and referred to by its number.
 */
export interface PackedReport extends Omit<Report, 'decisions' | 'picture'> {
  readonly picture: PackedPicture | null;
  readonly names: readonly string[];
  readonly rows: readonly PackedRow[];
  readonly decisions: readonly PackedDecision[];
}

export type PackedRow = readonly [label: string, text: string, subjects: readonly number[]];

interface PackedDecision extends Omit<DecisionOfReport, 'sections' | 'picture'> {
  readonly picture: PackedPicture | null;
  readonly sections: readonly { readonly title: string; readonly rows: readonly number[] }[];
}

const NO_NAME = -1;

/** Names and notes of a picture are numbers of `names`. */
interface PackedPicture {
  readonly groups: readonly (readonly [name: number, nodes: readonly PackedNode[]])[];
  readonly pending: readonly PackedPod[];
}
type PackedPod = readonly [name: number, share: number, when: When, note: number];
type PackedNode = readonly [name: number, state: PictureState, when: When, pods: readonly PackedPod[], note: number];

export function packed(report: Report): PackedReport {
  const names = createNumbers<string>();
  const rows = createNumbers<PackedRow>();
  const nameOf = (name: string): number => names.of(name, name);
  const rowOf = ({ label, text, subjects }: ReportRow): number => {
    const one: PackedRow = [label, text, subjects.map(nameOf)];
    return rows.of(JSON.stringify(one), one);
  };
  const pictureOf = (picture: Picture): PackedPicture => packedPicture(picture, nameOf);
  const decisions = report.decisions.map((decision) => ({
    ...decision,
    picture: mapOptional(decision.picture, pictureOf),
    sections: decision.sections.map((section) => ({ title: section.title, rows: section.rows.map(rowOf) })),
  }));
  const picture = mapOptional(report.picture, pictureOf);
  return { ...report, picture, names: names.all, rows: rows.all, decisions };
}

export function unpacked({ names, rows, ...report }: PackedReport): Report {
  const all = rows.map(([label, text, subjects]): ReportRow => ({
    label,
    text,
    subjects: subjects.map((at) => itemAt(names, at)),
  }));
  const sectionOf = (section: PackedDecision['sections'][number]): ReportSection => ({
    title: section.title,
    rows: section.rows.map((at) => itemAt(all, at)),
  });
  const pictureOf = (picture: PackedPicture): Picture => unpackedPicture(picture, (at) => names[at] ?? '');
  return {
    ...report,
    picture: mapOptional(report.picture, pictureOf),
    decisions: report.decisions.map((decision) => ({
      ...decision,
      picture: mapOptional(decision.picture, pictureOf),
      sections: decision.sections.map(sectionOf),
    })),
  };
}

function packedPicture(picture: Picture, of: (name: string) => number): PackedPicture {
  const packedPod = ({ name, share, when, note }: PicturePod): PackedPod => [of(name), share, when, of(note)];
  const packedNode = ({ name, state, when, pods, note }: PictureNode): PackedNode => [
    of(name),
    state,
    when,
    pods.map(packedPod),
    of(note),
  ];
  return {
    groups: picture.groups.map(({ name, nodes }) => [mapOptional(name, of) ?? NO_NAME, nodes.map(packedNode)]),
    pending: picture.pending.map(packedPod),
  };
}

function unpackedPicture(picture: PackedPicture, of: (at: number) => string): Picture {
  const podOf = ([name, share, when, note]: PackedPod): PicturePod => ({ name: of(name), share, when, note: of(note) });
  const nodeOf = ([name, state, when, pods, note]: PackedNode): PictureNode => ({
    name: of(name),
    state,
    when,
    pods: pods.map(podOf),
    note: of(note),
  });
  return {
    groups: picture.groups.map(([name, nodes]) => ({
      name: name === NO_NAME ? null : of(name),
      nodes: nodes.map(nodeOf),
    })),
    pending: picture.pending.map(podOf),
  };
}

/** Values with the numbers at which they stand, each once. */
function createNumbers<T>() {
  const numbers = new Map<string, number>();
  const all: T[] = [];
  return {
    all,
    of: (key: string, value: T): number => {
      const known = numbers.get(key);
      if (known !== undefined) {
        return known;
      }
      numbers.set(key, all.length);
      return all.push(value) - 1;
    },
  };
}
