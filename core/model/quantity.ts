import { type Result, err, ok } from './result.ts';

const SUFFIX: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E)|[eE]([+-]?\d+))?$/;

/**
 * Parses a Kubernetes quantity (`100m`, `1.5Gi`, `1e3`, `4`) times `scale`.
 *
 * @param scale 1 for bytes and counts, 1 000 for CPU in milli.
 * @returns the number, exact wherever a double is; it may have a fraction (`100m` of memory is 0.1 bytes), because
 *   Kubernetes rounds up once per pod, after adding up its containers (see `roundUp`).
 */
export function parseQuantity(text: string, scale = 1): Result<number, string> {
  const match = QUANTITY.exec(text);
  if (match === null) {
    return err('a quantity such as 500m, 2 or 1.5Gi');
  }
  const [, sign, digits, suffix, exponent] = match;
  const value = scaled(digits!, suffix ?? '', exponent, scale);
  return ok(sign === '-' ? -value : value);
}

function scaled(digits: string, suffix: string, exponent: string | undefined, scale: number): number {
  if (exponent !== undefined) {
    return tidy(Number(`${digits}e${exponent}`) * scale);
  }
  const factor = SUFFIX[suffix]!;
  // Small suffixes are divisors: dividing by 1 000 is exact where multiplying by 0.001 is not.
  return tidy(factor < 1 ? (Number(digits) * scale) / Math.round(1 / factor) : Number(digits) * factor * scale);
}

/** Kubernetes keeps nine decimals and rounds the tenth up; this also removes the dust of binary fractions. */
function tidy(value: number): number {
  if (Number.isInteger(value) || Math.abs(value) > 2 ** 53 / 1e9) {
    return value;
  }
  return Math.round(value * 1e9) / 1e9;
}

/**
 * Rounds a sum of quantities up to whole units, as `Quantity.MilliValue()` and `Quantity.Value()` do. A sum of binary
 * fractions may be a hair above the whole number it means; that hair is not rounded up.
 */
export function roundUp(value: number): number {
  return Number.isInteger(value) ? value : Math.ceil(Math.round(value * 1e6) / 1e6);
}
