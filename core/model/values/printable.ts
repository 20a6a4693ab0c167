/**
 * Text of users – names, annotations, an API server's refusals – on its way to a terminal or a text log: it is not to
 * steer a terminal, forge a line, nor show its characters in another order than they have.
 */

/**
 * Control characters but for the line break (C0, DEL, C1: ESC is among them), format characters (directions, zero
 * widths), Unicode's own line breaks, halves of characters.
 */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A text with U+FFFD for each character that is not there to be read; line breaks stay. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, '\uFFFD');

/** The same on one line: a line break is a blank, with the blanks around it. Takes time in proportion to the length. */
export const printableLine = (text: string): string =>
  printable(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join(' '),
  );

/** Data as JSON gives it, with each of its texts and keys `printable`. */
export function printableData(data: unknown): unknown {
  if (typeof data === 'string') {
    return printable(data);
  }
  if (Array.isArray(data)) {
    return data.map(printableData);
  }
  if (typeof data !== 'object' || data === null) {
    return data;
  }
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [printable(key), printableData(value)]));
}
