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

/** Columns without lines between them. */
export function columnTable(
  rows: readonly (readonly string[])[],
  alignments: readonly ('left' | 'right')[],
): readonly string[] {
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
