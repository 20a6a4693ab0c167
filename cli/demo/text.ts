import Table from 'cli-table3';
import type pc from 'picocolors';
import wrapAnsi from 'wrap-ansi';

export type Colors = ReturnType<typeof pc.createColors>;

/** How a text is to be set. */
export interface Style {
  readonly colors: Colors;
  /** Columns of the terminal. */
  readonly width: number;
}

/** Below this many columns, what belongs to a line stands under it and not beside it. */
export const NARROW = 72;

/** Breaks a plain text into lines of at most so many characters: between words, and within those that are longer. */
export const wrap = (text: string, width: number): readonly string[] =>
  wrapAnsi(text, width, { hard: true, wordWrap: true, trim: true }).split('\n');

/** `4:05`, or `1:04:05`. */
export function clockTime(at: number): string {
  const whole = Math.floor(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** `0.5 s`, `46 s`, `2 min 5 s`, `10 min`. */
export function length(inSeconds: number): string {
  if (inSeconds < 10) {
    return `${inSeconds.toFixed(1)} s`;
  }
  const whole = Math.round(inSeconds);
  const rest = whole % 60;
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min${rest > 0 ? ` ${rest} s` : ''}`;
}

/** A name without the namespace that nobody writes. */
export const shortName = (key: string): string => key.replace(/^default\//, '');

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

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
export function table(
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
