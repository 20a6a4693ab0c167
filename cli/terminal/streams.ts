import type { Readable, Writable } from 'node:stream';

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
