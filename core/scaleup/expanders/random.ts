import type { Option } from './option.ts';

/** Any one of the options; which one depends on the stream alone, which is left as it is where there is but one. */
export function random(options: readonly Option[], next: () => number): Option {
  return options.length === 1 ? options[0]! : options[Math.floor(next() * options.length)]!;
}
