import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';

/** Tag of an Auto Scaling group or annotation of a resource: the price of one of its nodes in USD per hour. */
export const PRICE_KEY = 'outrigger.dev/price';

/**
 * Reads the price that a tag or an annotation states, in USD per hour.
 *
 * @param where the object with the text.
 * @returns `null` without a text, or what is wrong with it, in words.
 */
export function statedPrice(text: string | undefined, where: 'tag' | 'annotation'): Result<number | null, string> {
  if (text === undefined) {
    return ok(null);
  }
  const price = Number(text);
  return text.trim() !== '' && price >= 0 && price < Infinity
    ? ok(price)
    : err(`${where} ${PRICE_KEY}: expected USD per hour, such as 0.096, found ${JSON.stringify(text)}`);
}
