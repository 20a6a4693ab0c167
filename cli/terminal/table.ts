import Table from 'cli-table3';

const NOTHING = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** How columns are aligned, from the first on; those that are not named to the left. */
export type Alignments = readonly ('left' | 'right')[];

/** Columns without lines between them. */
export function columnTable(rows: readonly (readonly string[])[], alignments: Alignments = []): readonly string[] {
  if (rows.length === 0) {
    return [];
  }
  const made = new Table({
    chars: NOTHING,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: [...alignments],
  });
  made.push(...rows.map((row) => [...row]));
  return made
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
