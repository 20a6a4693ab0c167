import type { DecisionOfReport, Report, Row, Section } from './report.ts';

/**
 * A report as the page contains it. Most names of pods and nodes are in many decisions, and most rows in the next
 * decision too: each name and row is stored once, and referred to by its number.
 */
export interface PackedReport extends Omit<Report, 'decisions'> {
  readonly names: readonly string[];
  readonly rows: readonly PackedRow[];
  readonly decisions: readonly PackedDecision[];
}

export type PackedRow = readonly [label: string, text: string, subjects: readonly number[]];

interface PackedDecision extends Omit<DecisionOfReport, 'sections'> {
  readonly sections: readonly { readonly title: string; readonly rows: readonly number[] }[];
}

export function packed(report: Report): PackedReport {
  const names = createNumbers<string>();
  const rows = createNumbers<PackedRow>();
  const rowOf = ({ label, text, subjects }: Row): number => {
    const one: PackedRow = [label, text, subjects.map((name) => names.of(name, name))];
    return rows.of(JSON.stringify(one), one);
  };
  const decisions = report.decisions.map((decision) => ({
    ...decision,
    sections: decision.sections.map((section) => ({ title: section.title, rows: section.rows.map(rowOf) })),
  }));
  return { ...report, names: names.all, rows: rows.all, decisions };
}

export function unpacked({ names, rows, ...report }: PackedReport): Report {
  const all = rows.map(([label, text, subjects]): Row => ({ label, text, subjects: subjects.map((at) => names[at]!) }));
  const sectionOf = (section: PackedDecision['sections'][number]): Section => ({
    title: section.title,
    rows: section.rows.map((at) => all[at]!),
  });
  return {
    ...report,
    decisions: report.decisions.map((decision) => ({ ...decision, sections: decision.sections.map(sectionOf) })),
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
