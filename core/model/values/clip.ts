/**
 * Messages repeat texts of users: names, annotations, label values. Kubernetes bounds few of these texts, so each
 * message is cut where it is made.
 */

/** In UTF-16 code units: what fits on a few lines of a terminal, and a thousand of which fit into a stored decision. */
export const LONGEST_MESSAGE = 300;

/** A text of an object within a message: as long as the longest name that Kubernetes allows. */
const LONGEST_QUOTE = 253;

/** Says that a text goes on. */
const CUT = '…';

/** A text of at most `longest` code units; one that is longer ends with `…`, and no character is cut in two. */
export function clip(text: string, longest = LONGEST_MESSAGE): string {
  if (text.length <= longest) {
    return text;
  }
  const end = longest - CUT.length;
  return `${text.slice(0, splitsPair(text, end) ? end - 1 : end)}${CUT}`;
}

/** Does the place lie between the halves of a character beyond U+FFFF? */
const splitsPair = (text: string, place: number): boolean => (text.codePointAt(place - 1) ?? 0) > 0xffff;

/** The API server refuses events whose message is longer than 1,024 bytes. */
export const MOST_EVENT_BYTES = 1_024;

const UTF_8 = new TextEncoder();

/** The length of a text in UTF-8. */
export const bytesOf = (text: string): number => UTF_8.encode(text).length;

/** A text of at most this many bytes in UTF-8, and no character is cut in two. */
export function clipToBytes(text: string, most: number): string {
  if (bytesOf(text) <= most) {
    return text;
  }
  const room = most - bytesOf(CUT);
  const { read } = UTF_8.encodeInto(text, new Uint8Array(room));
  return `${text.slice(0, read)}${CUT}`;
}

/** A text of an object as JSON, clipped before it is written so. */
export const quoted = (text: string): string => clip(JSON.stringify(clip(text, LONGEST_QUOTE)));

/** Joins the first names with commas, then the number of the others: `a, b, c and 4 more`. */
export function firstNames(names: readonly string[], most = 3): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ');
}

/**
 * Joins names with commas: as many of them as fit, then the number of the others, as in `a, b and 2598 more`. Takes no
 * longer for very many names than for a few.
 */
export function clippedList(names: readonly string[], longest = LONGEST_MESSAGE): string {
  // Room for the number of the others.
  const room = longest - 24;
  let text = '';
  for (const [i, name] of names.entries()) {
    const next = i === 0 ? clip(name, room) : `${text}, ${clip(name, room)}`;
    if (next.length > room) {
      return `${text} and ${names.length - i} more`;
    }
    text = next;
  }
  return text;
}
