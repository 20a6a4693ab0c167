import type { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import pc from 'picocolors';
import type { Style } from './text.ts';

/** Columns of output that is not a terminal, of each command. */
export const DEFAULT_WIDTH = 80;

export const isTerminal = (stream: Writable): stream is WriteStream => stream instanceof WriteStream && stream.isTTY;

/** The width of an output, and its colors. Output that is not a terminal has colors only with FORCE_COLOR. */
export function styleOf(stdout: Writable): Style {
  const isForPeople = isTerminal(stdout);
  return {
    colors: pc.createColors(isForPeople ? pc.isColorSupported : Boolean(process.env['FORCE_COLOR'])),
    width: (isForPeople && stdout.columns) || DEFAULT_WIDTH,
  };
}
