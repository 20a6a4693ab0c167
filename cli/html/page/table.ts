import { type ComponentChild, h } from 'preact';

/** A table. The first cell of each row is its name. */
export const pageTable = (
  columns: readonly string[],
  rows: readonly (readonly [name: string, ...cells: readonly string[]])[],
): ComponentChild =>
  h(
    'table',
    null,
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        columns.map((name) => h('th', { scope: 'col' }, name)),
      ),
    ),
    h(
      'tbody',
      null,
      rows.map(([name, ...cells]) =>
        h(
          'tr',
          null,
          h('th', { scope: 'row' }, name),
          cells.map((cell) => h('td', null, cell)),
        ),
      ),
    ),
  );
