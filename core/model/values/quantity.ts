import { type Result, err, ok } from './result.ts';

/** Powers of ten and of two that the suffixes stand for. */
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const QUANTITY = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E)|[eE]([+-]?\d+))?$/;

/** The API server stores quantities in far fewer characters; what is longer is not looked at. */
const LONGEST_QUANTITY = 64;

/**
 * Parses a Kubernetes quantity (`100m`, `1.5Gi`, `1e3`, `4`) times `scale`.
 *
 * @param scale 1 for bytes and counts, 1 000 for CPU in milli.
 * @returns the number, exact wherever a double is; it may have a fraction (`100m` of memory is 0.1 bytes), because
 *   Kubernetes rounds up once per pod, after adding up its containers (see `roundUp`).
 */
export function parseQuantity(text: string, scale = 1): Result<number, string> {
  const match = text.length > LONGEST_QUANTITY ? null : QUANTITY.exec(text);
  if (match === null) {
    return err('a quantity such as 500m, 2 or 1.5Gi');
  }
  const [, sign, number = '', suffix = '', exponent] = match;
  const [whole, fraction = ''] = number.split('.');
  // Digits and powers apart, and one multiplication or division at the end: exact wherever the result can be.
  const power = (DECIMAL[suffix] ?? 0) + Number(exponent ?? 0) - fraction.length;
  const digits = Number(`${whole}${fraction}`) * scale * 2 ** (BINARY[suffix] ?? 0);
  const value = power < 0 ? digits / 10 ** -power : digits * 10 ** power;
  const signed = sign === '-' ? -value : value;
  return Number.isFinite(signed) ? ok(signed) : err('a quantity below 2^63');
}

/**
 * Rounds a sum of quantities up to whole units, as `Quantity.MilliValue()` and `Quantity.Value()` do. A sum of binary
 * fractions may be a hair above the whole number it means; that hair is not rounded up.
 */
export function roundUp(value: number): number {
  return Number.isInteger(value) ? value : Math.ceil(Math.round(value * 1e6) / 1e6);
}
