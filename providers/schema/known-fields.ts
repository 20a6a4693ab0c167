import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { distance } from 'fastest-levenshtein';

/**
 * The known name that is nearest to a mistyped one; `null` when none is near enough.
 *
 * @param most the number of letters by which it may differ.
 */
export function nearest(
  name: string,
  known: Iterable<string>,
  most = Math.max(2, Math.ceil(name.length / 3)),
): string | null {
  const plain = plainly(name);
  let best: string | null = null;
  let least = most + 1;
  for (const candidate of known) {
    const apart = distance(plain, plainly(candidate));
    if (apart < least) {
      best = candidate;
      least = apart;
    }
  }
  return best;
}

/** `max-nodes-total`, `max_nodes_total` and `MaxNodesTotal` are all spellings of `maxNodesTotal`. */
const plainly = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase();

/** `one of minSize, maxSize (did you mean maxSize?)`. */
export const oneOf = (known: readonly string[], given: unknown): string =>
  `one of ${known.join(', ')}${typeof given === 'string' ? didYouMean(given, known) : ''}`;

/** ` (did you mean maxSize?)`, or nothing when no known name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  return mapOptional(nearest(name, known), (meant) => ` (did you mean ${meant}?)`) ?? '';
}

const MOST_LISTED = 20;

/** The expected value, with the name that was probably meant; without a similar name, with all known names, if few. */
export function suggestion(expected: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  if (hint === '' && known.length <= MOST_LISTED) {
    return `${expected} (${known.join(', ')})`;
  }
  return `${expected}${hint}`;
}
