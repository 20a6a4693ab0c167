import { wrap } from './wrap.ts';

/**
 * Help on lines of at most `width` columns. Lines without an indent are one paragraph; a line with one wraps beside its
 * first word, but for commands, which people copy.
 */
export const wrapHelp = (text: string, width: number): string =>
  text
    .replaceAll(/(?<=^[^ \n].*)\n(?=[^ \n])/gm, ' ')
    .split('\n')
    .flatMap((line) => wrapped(line, width))
    .join('\n');

function wrapped(line: string, width: number): readonly string[] {
  if (line.length <= width || /^ +(?:\$|outrigger) /.test(line)) {
    return [line];
  }
  const beside = /^ +\S+ +/.exec(line)?.[0] ?? '';
  return wrap(line.slice(beside.length), width - beside.length).map(
    (part, index) => (index === 0 ? beside : ' '.repeat(beside.length)) + part,
  );
}
