import { inspect } from 'node:util';
import { EXIT } from '../exit-codes.ts';

/** The callbacks for failures of a process's output. */
interface OutputOwner {
  readonly stdout: { readonly on: (event: 'error', listener: (error: NodeJS.ErrnoException) => void) => unknown };
  readonly stderr: {
    readonly on: (event: 'error', listener: (error: NodeJS.ErrnoException) => void) => unknown;
    readonly write: (text: string) => unknown;
  };
  readonly exit: (code?: number) => void;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the device',
  EIO: 'the device fails',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'the file is too large',
};

/**
 * Ends the process when its output cannot be written: without a word when the reader has closed the pipe, such as `head`,
 * and with one sentence for a full disk. Standard error that fails has nowhere to be reported to.
 */
export function endWhenOutputFails(owner: OutputOwner): void {
  owner.stdout.on('error', (error) => {
    if (error.code === 'EPIPE') {
      // The reader of the output has read enough.
      owner.exit();
      return;
    }
    owner.stderr.write(`error: the output cannot be written: ${WORDS[error.code ?? ''] ?? inspect(error.message)}\n`);
    owner.exit(EXIT.failed);
  });
  owner.stderr.on('error', () => owner.exit(EXIT.failed));
}
