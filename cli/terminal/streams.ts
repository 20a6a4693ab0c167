import type { Readable, Writable } from 'node:stream';
import { printable } from '@outrigger/core/model/values/printable.ts';

/** The input and output streams of a command. */
export interface TerminalStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Resolves when the text is written: the output of a command may be larger than the buffer of a pipe. */
export const write = (stream: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) {
        reject(error);
      } else {
        resolve();
      }
    });
  });

/** Writes lines for people: texts of users in them do not steer the terminal. */
export const writeLines = (stream: Writable, lines: readonly string[]): Promise<void> =>
  write(stream, lines.map((line) => `${printable(line)}\n`).join(''));

/** Prints why a command ends, and returns its exit code. */
export async function fail(
  code: number,
  lines: readonly string[],
  { stderr }: Pick<TerminalStreams, 'stderr'>,
): Promise<number> {
  await writeLines(stderr, lines);
  return code;
}
