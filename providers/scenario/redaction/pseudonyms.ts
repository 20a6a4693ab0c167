import { byName } from '@outrigger/core/model/values/names.ts';

/** Names and what stands for them in a redacted scenario. */
export type Pseudonyms = ReadonlyMap<string, string>;

const DIGITS = 6;

/**
 * Numbers names in their order, as `name-000012`: where ties are broken by names, they are broken in the same way. One
 * name is kept as it is; names before it begin with `a-`, so that the kept name has its place among them.
 *
 * @param kept begins with a letter between `a-` and `word`
 * @param endedBy what follows the names where they are compared
 */
export function pseudonymsFor(names: Iterable<string>, word: string, kept: string, endedBy = ''): Pseudonyms {
  const compare = (a: string, b: string): number => byName(`${a}${endedBy}`, `${b}${endedBy}`);
  const others = [...new Set(names)].filter((name) => name !== kept).sort(compare);
  return new Map([
    [kept, kept],
    ...others.map((name, i): [string, string] => {
      const number = String(i + 1).padStart(DIGITS, '0');
      return [name, `${compare(name, kept) < 0 ? 'a-' : ''}${word}-${number}`];
    }),
  ]);
}
