import { clockTime } from '../../terminal/clock-time.ts';
import { length, NARROW, type Style } from '../../terminal/text.ts';
import { wrap } from '../../terminal/wrap.ts';
import type { News } from './news.ts';

/** The lines of one piece of news, and its time in virtual seconds from the start. */
export interface Beat {
  readonly at: number;
  readonly lines: readonly string[];
}

const TAG_WIDTH = 9;
const TIME_WIDTH = 9;
/** The column in which the text starts. */
export const INDENT = TIME_WIDTH + TAG_WIDTH;
/** A pause of at least this many seconds gets a line. */
const LONG_PAUSE = 150;

/** Lays out one piece of news: time and tag in columns of their own, the text wrapped beside them. */
export function beat(at: number, { tag, paint, text, more }: News, { colors, width }: Style): Beat {
  const [first = '', ...rest] = wrap(text, Math.max(20, width - INDENT - 1));
  const below = ' '.repeat(width < NARROW ? 4 : INDENT);
  return {
    at,
    lines: [
      `${colors.dim(clockTime(at).padStart(TIME_WIDTH - 2))}  ${colors.bold(colors[paint](tag.padEnd(TAG_WIDTH)))}${first}`,
      ...rest.map((line) => ' '.repeat(INDENT) + line),
      ...more.map((line) => below + line),
    ],
  };
}

/** The beats in order of time, with a line before those that follow a long pause. */
export function withPauses(beats: readonly Beat[], { colors }: Style): readonly Beat[] {
  const ordered = beats.toSorted((a, b) => a.at - b.at);
  return ordered.map((one, index) => {
    const pause = one.at - (ordered[index - 1]?.at ?? one.at);
    if (pause < LONG_PAUSE) {
      return one;
    }
    return { ...one, lines: [colors.dim(`${'⋮'.padStart(TIME_WIDTH - 3)}   ${length(pause)} later`), ...one.lines] };
  });
}
