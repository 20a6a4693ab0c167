import type { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import pc from 'picocolors';
import type { Style } from './text.ts';

const DEFAULT_WIDTH = 80;

export const isTerminal = (stream: Writable): stream is WriteStream => stream instanceof WriteStream && stream.isTTY;

/**
 * The width of an output, and its colors. Output that is not a terminal has colors only with FORCE_COLOR.
 *
 * @param width columns of output that is not a terminal
 */
export function styleOf(stdout: Writable, width = DEFAULT_WIDTH): Style {
  if (isTerminal(stdout)) {
    return { colors: pc.createColors(pc.isColorSupported), width: stdout.columns || width };
  }
  return { colors: pc.createColors(Boolean(process.env['FORCE_COLOR'])), width };
}
