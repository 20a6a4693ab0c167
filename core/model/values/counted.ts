/** `1 node`, `2 nodes`. */
export const counted = (count: number, noun: string): string => `${count} ${pluralOf(noun, count)}`;

/** `node` for one, `nodes` for any other number. The plural of other words is given: `is`, `are`. */
export const pluralOf = (word: string, count: number, plural = `${word}s`): string => (count === 1 ? word : plural);
