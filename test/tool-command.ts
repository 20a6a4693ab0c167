import { Command, InvalidArgumentError } from 'commander';

/** A developer's tool on the command line: help ends with exit code 0, what cannot be understood with 2. */
export const toolCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help for the options)')
    .allowExcessArguments(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value >= 2 ** 31) {
    throw new InvalidArgumentError('Expected a whole number below 2147483648, such as 7.');
  }
  return value;
}

export function positive(text: string): number {
  const value = wholeNumber(text);
  if (value === 0) {
    throw new InvalidArgumentError('Expected a whole number above 0, such as 200.');
  }
  return value;
}
