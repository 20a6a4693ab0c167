import type { CommanderError } from 'commander';

/**
 * For commands whose exit code 1 says that something was done and failed: a command line that is wrong ends with 2, as invalid
 * input does. Commander's own code for it is 1.
 */
export function endWithInvalid({ exitCode }: CommanderError): never {
  // eslint-disable-next-line no-process-exit
  process.exit(exitCode === 0 ? 0 : INVALID);
}

const INVALID = 2;
