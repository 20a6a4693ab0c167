/** A row of a table in Markdown. */
export const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** A table with these heads. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(...heads), `|${heads.map(() => '---|').join('')}`, ...rows.map((cells) => row(...cells))].join('\n');
