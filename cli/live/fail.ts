import type { Command } from 'commander';
import { printable } from '@outrigger/core/model/values/printable.ts';
import { errorText } from '../local/log.ts';
import { endWithFailure, InvalidSettings } from '../exit-codes.ts';

/** Ends a command that cannot read its cluster. Only invalid settings end as an invalid command line does. */
export function failLive(command: Command, error: unknown): never {
  const message = printable(errorText(error));
  if (error instanceof InvalidSettings) {
    command.error(`error: ${message}`);
  }
  return endWithFailure(command, message);
}
