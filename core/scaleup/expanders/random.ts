import type { Option } from '../option.ts';

/** Any one of the options; which one depends on the stream alone. */
export function random(options: readonly Option[], next: () => number): readonly Option[] {
  return options.length <= 1 ? options : [options[Math.floor(next() * options.length)]!];
}
