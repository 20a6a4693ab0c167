/** `1 node`, `2 nodes`. */
export const counted = (count: number, noun: string): string => `${count} ${pluralOf(noun, count)}`;

/** `node` for one, `nodes` for any other number. */
export const pluralOf = (noun: string, count: number): string => (count === 1 ? noun : `${noun}s`);
