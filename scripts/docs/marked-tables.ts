const END = '\n<!-- End -->';

/**
 * A page with the tables between its markers as the code has them.
 *
 * @param source where the tables come from, as the markers say it.
 * @throws Error where a marker names no table, or has no end.
 */
export function withTables(page: string, source: string, tables: Readonly<Record<string, () => string>>): string {
  const marker = new RegExp(`<!-- Begin (\\S+): written by \`npm run docs\` from ${source}\\. -->\\n`);
  const found = marker.exec(page);
  if (found === null) {
    return page;
  }
  const name = found[1]!;
  const begin = found.index + found[0].length;
  const end = page.indexOf(END, begin);
  const table = tables[name];
  if (table === undefined || end < 0) {
    throw new Error(`the table ${name} of ${source} is not known, or its marker has no end`);
  }
  const after = end + END.length;
  return `${page.slice(0, begin)}\n${table()}\n${END}${withTables(page.slice(after), source, tables)}`;
}

/** A row of a table. */
export const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** The first rows of a table. */
export const head = (...titles: readonly string[]): readonly string[] => [
  row(...titles),
  `|${'---|'.repeat(titles.length)}`,
];
