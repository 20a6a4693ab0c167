import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { parseQuantity } from '@outrigger/core/model/values/quantity.ts';
import {
  CPU,
  NO_RESOURCES,
  type Resources,
  quantityScale,
  roundUpResources,
} from '@outrigger/core/model/values/resources.ts';
import { type Manifest, type Section, isFields, objectIn, reportIn, reportPresent } from './fields.ts';

export const A_QUANTITY = 'a quantity such as 500m, 2 or 1.5Gi';

/** The text of a quantity; `null` for none. The API server accepts numbers too, and YAML parses `cpu: 2` as one. */
function textOf(raw: unknown): string | null {
  if (typeof raw === 'number') {
    return String(raw);
  }
  return typeof raw === 'string' ? raw : null;
}

/** The expected quantity in place of this value: for usual mistakes, the value that was probably meant. */
export function expectedQuantity(raw: unknown): string {
  const text = textOf(raw)?.trim() ?? '';
  if (/^-\d/.test(text)) {
    return `${A_QUANTITY} that is not negative`;
  }
  const [, amount, prefix] = /^(\d{1,15}(?:\.\d{1,9})?) ?([kmgtpKMGTP])(?:[bB]|i[bB])$/.exec(text) ?? [];
  if (amount === undefined || prefix === undefined) {
    return A_QUANTITY;
  }
  const binary = `${amount}${prefix.toUpperCase()}i`;
  return `${A_QUANTITY} (did you mean ${/i/.test(text) ? '' : `${amount}${prefix.toUpperCase().replace('K', 'k')} or `}${binary}?)`;
}

// A cluster of 100 000 pods has a few dozen different quantities: looking one up costs a fifth of parsing it.
const MOST_REMEMBERED = 4_096;
const milli = new Map<string, number>();
const whole = new Map<string, number>();

function quantity(raw: unknown, scale: number): number | null {
  const text = textOf(raw);
  if (text === null) {
    return null;
  }
  const known = scale === 1 ? whole : milli;
  const seen = known.get(text);
  if (seen !== undefined) {
    return seen;
  }
  const parsed = parseQuantity(text, scale);
  if (!parsed.ok || parsed.value < 0 || !Number.isFinite(parsed.value)) {
    return null;
  }
  // A minus sign before a zero is allowed and has no effect. An amount beyond a double's exact range is capped, as the
  // API server caps one beyond an int64: sums stay finite, and no node has as much.
  const value = Math.min(parsed.value + 0, Number.MAX_SAFE_INTEGER);
  if (known.size < MOST_REMEMBERED) {
    known.set(text, value);
  }
  return value;
}

/** An amount of a resource, unrounded, in the core's unit; `null` where it is no quantity. */
export const amountOf = (resource: string, raw: unknown): number | null => quantity(raw, quantityScale(resource));

/** Reads one quantity in whole units, rounded up; 0 when it is absent. */
export function bytesIn(from: Section, key: string): number {
  const raw = from.fields[key];
  if (raw === undefined || raw === null) {
    return 0;
  }
  const value = quantity(raw, 1);
  if (value === null) {
    reportIn(from, key, expectedQuantity(raw));
    return 0;
  }
  return Math.ceil(value);
}

/** Reads amounts by resource name, unrounded; `null` when there are none at all. */
export function amountsIn(from: Section, key: string): Resources | null {
  const raw = from.fields[key];
  if (!isFields(raw)) {
    return reportPresent(from, key, 'an object');
  }
  const amounts: Record<string, number> = {};
  for (const name in raw) {
    const value = amountOf(name, raw[name]);
    if (value === null) {
      reportIn(objectIn(from, key), name, expectedQuantity(raw[name]));
    } else {
      amounts[name] = value;
    }
  }
  return amounts;
}

/** Reads a node's amounts in whole units. */
export function wholeAmountsIn(from: Section, key: string): Resources | null {
  return mapOptional(amountsIn(from, key), roundUpResources);
}

/** Reads `requests`, with `limits` as the default of missing ones: the API server does the same when it stores a pod. */
export function requestsIn(resources: Section): Resources {
  const requests = amountsIn(resources, 'requests');
  const limits = amountsIn(resources, 'limits');
  if (limits !== null && requests !== null) {
    return { ...limits, ...requests };
  }
  return requests ?? limits ?? NO_RESOURCES;
}

const BINARY: readonly (readonly [string, number])[] = [
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
];

/** Writes an amount in the shortest usual form that reads as exactly the same number. */
export function writeQuantity(resource: string, amount: number): string {
  if (resource === CPU) {
    return amount % 1_000 === 0 ? decimal(amount / 1_000) : `${decimal(amount)}m`;
  }
  for (const [suffix, factor] of BINARY) {
    if (amount !== 0 && amount % factor === 0) {
      return `${decimal(amount / factor)}${suffix}`;
    }
  }
  return decimal(amount);
}

/** Without an exponent, which a suffix could not follow. Nine decimals are all that a quantity keeps. */
function decimal(value: number): string {
  if (Number.isInteger(value)) {
    return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
  }
  const text = String(value);
  return text.includes('e') ? value.toFixed(9).replace(/0+$/, '') : text;
}

export const writeAmounts = (amounts: Resources): Manifest =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, writeQuantity(name, amount)]));
