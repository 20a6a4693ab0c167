import type { Writable } from 'node:stream';
import { DEFAULT_WIDTH } from './style.ts';
import { cut } from './wrap.ts';

/** A line on a terminal that says what a command is doing. The line is removed before anything else is printed. */
export interface Progress {
  /** Says what is going on, once the command has taken a second; again and again, but not more often than people read. */
  readonly say: (text: () => string) => void;
  /** Says at once what will take longer than that, and lets nothing be said meanwhile. */
  readonly announce: (text: string) => void;
  /** Takes the line away. */
  readonly clear: () => void;
}

const FIRST_MS = 1_000;
const EACH_MS = 250;

/** @param stderr nothing is written to one that is no terminal, or that has no cursor to move. */
export function progressOn(stderr: Writable, now: () => number = () => performance.now()): Progress {
  const { isTTY = false, columns = DEFAULT_WIDTH } = stderr as { readonly isTTY?: boolean; readonly columns?: number };
  const moves = isTTY && process.env['TERM'] !== 'dumb';
  const begun = now();
  let shownAt: number | null = null;
  const show = (text: string): void => {
    stderr.write(`\r\u001B[K${cut(text, Math.max(20, columns - 1))}`);
    shownAt = now();
  };
  return {
    say: (text) => {
      const time = now();
      if (moves && time - begun >= FIRST_MS && (shownAt === null || time - shownAt >= EACH_MS)) {
        show(text());
      }
    },
    announce: (text) => {
      if (moves) {
        show(text);
      }
    },
    clear: () => {
      if (shownAt !== null) {
        stderr.write('\r\u001B[K');
        shownAt = null;
      }
    },
  };
}

/** Does work that may take longer than a second, and says so on a line of its own when it does. */
export async function withProgress<T>(stderr: Writable, text: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => stderr.write(`${text}\n`), FIRST_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
