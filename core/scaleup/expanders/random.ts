import { firstItem, itemAt } from '../../model/values/existing.ts';
import type { Option } from './option.ts';

/** Any one of the options, chosen by the stream alone; a single option leaves the stream as it is. */
export function random(options: readonly Option[], next: () => number): Option {
  return options.length === 1 ? firstItem(options) : itemAt(options, Math.floor(next() * options.length));
}
