import type { Defect } from './defect.ts';
import type { Findings, Simulated } from './plant.ts';

const BEGIN = '<!-- Written by `npm run planted -- --write`. -->\n';

/** Words of a row for the findings of the run that wrote it. */
const unitsText = (units: string | null): string => (units === null ? '**not found**' : escaped(units));
const simulationText = ({ invariant, seed }: Simulated): string =>
  invariant === null ? `**not found** by ${seed} seeds` : `seed ${seed}: ${escaped(invariant)}`;

const escaped = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');

/** The page with the table of defects. What no finder was asked this time is as the page has it. */
export function pageWith(page: string, defects: readonly Defect[], findings: ReadonlyMap<string, Findings>): string {
  const known = new Map(rowsOf(page).map(([id, , units, simulation]) => [id!, { units, simulation }]));
  const rows = defects.map(({ id, what, simulation }) => {
    const { units, simulation: found } = findings.get(id) ?? {};
    const before = known.get(id);
    return [
      id,
      escaped(what),
      units === undefined ? (before?.units ?? '') : unitsText(units),
      found === undefined ? (before?.simulation ?? (simulation === undefined ? '–' : '')) : simulationText(found),
    ];
  });
  const table = ['| | defect | test that finds it | simulation |', '|---|---|---|---|', ...rows.map(lineOf)];
  return `${page.slice(0, page.indexOf(BEGIN))}${BEGIN}\n${table.join('\n')}\n`;
}

const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll('  ', ' ');

/** The cells of the rows of the table. */
export const rowsOf = (page: string): readonly (readonly string[])[] =>
  page
    .slice(page.indexOf(BEGIN))
    .split('\n')
    .filter((line) => /^\| [A-Z]\d\d /.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
