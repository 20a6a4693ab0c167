import type { AddHelpTextContext } from 'commander';
import { wrap } from './wrap.ts';

const DEFAULT_WIDTH = 80;

/**
 * The text after the options of a command, as wide as they are. Lines without an indent are one paragraph; a line with one
 * wraps beside its first word, but for commands, which people copy.
 */
export const helpNotes =
  (text: string) =>
  ({ command, error }: AddHelpTextContext): string => {
    const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
    const width = (error ? getErrHelpWidth : getOutHelpWidth)?.() ?? DEFAULT_WIDTH;
    return text
      .replaceAll(/(?<=^[^ \n].*)\n(?=[^ \n])/gm, ' ')
      .split('\n')
      .flatMap((line) => wrapped(line, width))
      .join('\n');
  };

function wrapped(line: string, width: number): readonly string[] {
  if (/^ +(?:\$|outrigger) /.test(line)) {
    return [line];
  }
  const beside = /^ +\S+ +/.exec(line)?.[0] ?? '';
  return wrap(line.slice(beside.length), width - beside.length).map(
    (part, index) => (index === 0 ? beside : ' '.repeat(beside.length)) + part,
  );
}
