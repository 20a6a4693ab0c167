import type { InstanceType } from './instance-types.ts';

/** Longer ones are not looked at: nodeadm's examples have some 120 characters. */
const LONGEST = 1_000;
const DEEPEST = 50;
const TOKEN = /\s*(\d+|[a-z_]+|==|!=|<=|>=|&&|\|\||[-+*/%<>!?:()])/y;

/** The variables of nodeadm; those of the network are there where EC2 tells of it. */
export function expressionVariables({ network, vCpus, memoryMib }: InstanceType): Readonly<Record<string, number>> {
  return {
    ...(network !== null && {
      default_enis: network.interfaces,
      ips_per_eni: network.addressesPerInterface,
      max_pods: network.interfaces * (network.addressesPerInterface - 1) + 2,
    }),
    vcpus: vCpus,
    physical_memory_mib: memoryMib,
  };
}

/**
 * Evaluates nodeadm's `maxPodsExpression`: the integer arithmetic, comparisons and conditions of CEL (its lists, strings and
 * functions are not known here).
 *
 * @returns a number of pods of at least 1; `null` for what cannot be read or comes to anything else: nodeadm itself then
 *   falls back to the type's addresses.
 */
export function evaluateExpression(text: string, variables: Readonly<Record<string, number>>): number | null {
  const tokens = tokensOf(text);
  if (tokens === null) {
    return null;
  }
  let at = 0;
  let depth = 0;
  const takes = (...some: readonly string[]): string | null => {
    const next = tokens[at];
    if (next === undefined || !some.includes(next)) {
      return null;
    }
    at += 1;
    return next;
  };
  const expect = (token: string): void => {
    if (takes(token) === null) {
      throw new Unreadable();
    }
  };
  const chain = (operators: readonly string[], operand: () => Value): Value => {
    let left = operand();
    for (let operator = takes(...operators); operator !== null; operator = takes(...operators)) {
      left = apply(operator, left, operand());
    }
    return left;
  };
  const primary = (): Value => {
    if (takes('(') !== null) {
      const inside = condition();
      expect(')');
      return inside;
    }
    const token = tokens[at] ?? '';
    at += 1;
    const value = /^\d/.test(token) ? Number(token) : Object.hasOwn(variables, token) ? variables[token]! : null;
    if (value === null) {
      throw new Unreadable();
    }
    return value;
  };
  const unary = (): Value => {
    const sign = takes('-', '!');
    return sign === null ? primary() : sign === '-' ? -number(deeper(unary)) : !truth(deeper(unary));
  };
  const product = (): Value => chain(['*', '/', '%'], unary);
  const sum = (): Value => chain(['+', '-'], product);
  const relation = (): Value => chain(['==', '!=', '<', '<=', '>', '>='], sum);
  const conjunction = (): Value => chain(['&&'], relation);
  const disjunction = (): Value => chain(['||'], conjunction);
  const deeper = (inner: () => Value): Value => {
    depth += 1;
    if (depth > DEEPEST) {
      throw new Unreadable();
    }
    const value = inner();
    depth -= 1;
    return value;
  };
  const condition = (): Value =>
    deeper(() => {
      const when = disjunction();
      if (takes('?') === null) {
        return when;
      }
      const yes = disjunction();
      expect(':');
      const no = condition();
      return truth(when) ? yes : no;
    });
  try {
    const result = condition();
    return at === tokens.length && typeof result === 'number' && result >= 1 && result < 2 ** 31 ? result : null;
  } catch (error) {
    if (error instanceof Unreadable) {
      return null;
    }
    throw error;
  }
}

type Value = number | boolean;

class Unreadable extends Error {}

function tokensOf(text: string): readonly string[] | null {
  const rest = text.trimEnd();
  if (rest.length > LONGEST) {
    return null;
  }
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < rest.length) {
    const [, token] = TOKEN.exec(rest) ?? [];
    if (token === undefined) {
      return null;
    }
    tokens.push(token);
  }
  return tokens;
}

function number(value: Value): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new Unreadable();
  }
  return value;
}

function truth(value: Value): boolean {
  if (typeof value !== 'boolean') {
    throw new Unreadable();
  }
  return value;
}

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  // CEL's integers: towards zero, and an error by zero.
  '/': (a, b) => (b === 0 ? Number.NaN : Math.trunc(a / b)),
  '%': (a, b) => (b === 0 ? Number.NaN : a % b),
};
const COMPARISON: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

function apply(operator: string, a: Value, b: Value): Value {
  const arithmetic = ARITHMETIC[operator];
  if (arithmetic !== undefined) {
    return number(arithmetic(number(a), number(b)));
  }
  const comparison = COMPARISON[operator];
  if (comparison !== undefined) {
    return comparison(number(a), number(b));
  }
  return operator === '&&' ? truth(a) && truth(b) : truth(a) || truth(b);
}
