import type { Command, CommanderError } from 'commander';
import { EXIT, FAILED } from '../exit-codes.ts';

/** An invalid command line ends with 2, as invalid input does. Commander's own code for it is 1, which says that the command failed. */
export function endWithInvalid({ code, exitCode }: CommanderError): never {
  // eslint-disable-next-line no-process-exit
  process.exit(exitCode === 0 || code === FAILED ? exitCode : EXIT.invalid);
}

/**
 * Has a command look for its required options once the others are known. Commander looks for them first, and would call a
 * misspelt `--clustr prod` a missing `--cluster`.
 */
export function requiredLast(command: Command): Command {
  const required = command.options.filter(({ mandatory }) => mandatory);
  required.forEach((option) => option.makeOptionMandatory(false));
  return command.hook('preAction', () => {
    const missing = required.find((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing !== undefined) {
      command.error(`error: required option '${missing.flags}' not specified`);
    }
  });
}
