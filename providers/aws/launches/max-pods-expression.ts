import { Environment } from '@marcbachmann/cel-js';
import type { InstanceType } from './instance-types.ts';

/** Longer ones are not evaluated: nodeadm's examples have some 120 characters. */
const MAX_CHARACTERS = 1_000;
/**
 * Strings, whose regular expressions, and lists and maps, whose nested comprehensions take unbounded time to evaluate. nodeadm's
 * expressions are arithmetic.
 */
const UNBOUNDED = /["'`[{]|\.\s*(?:all|exists|exists_one|map|filter|bind)\b/;
/** A node's number of pods is an int32. */
const MAX_PODS = 2 ** 31;

const VARIABLES = ['default_enis', 'ips_per_eni', 'max_pods', 'vcpus', 'physical_memory_mib'];

const environment = new Environment({
  unlistedVariablesAreDyn: false,
  limits: { maxDepth: 50, maxAstNodes: 500, maxListElements: 10, maxMapEntries: 10, maxCallArguments: 4 },
});
VARIABLES.forEach((name) => environment.registerVariable(name, 'int'));

/** The variables of nodeadm; those of the network only where EC2 describes it. */
export function expressionVariables({ network, vCpus, memoryMib }: InstanceType): Readonly<Record<string, number>> {
  const size = { vcpus: vCpus, physical_memory_mib: memoryMib };
  if (network === null) {
    return size;
  }
  const { interfaces, addressesPerInterface } = network;
  const addresses = interfaces * (addressesPerInterface - 1);
  return { default_enis: interfaces, ips_per_eni: addressesPerInterface, max_pods: addresses + 2, ...size };
}

/**
 * Evaluates nodeadm's `maxPodsExpression`, which is CEL over integers.
 *
 * @returns a number of pods of at least 1; `null` for an expression that cannot be evaluated or has any other result:
 *   nodeadm then falls back to the type's addresses.
 */
export function evaluateExpression(text: string, variables: Readonly<Record<string, number>>): number | null {
  if (text.length > MAX_CHARACTERS || UNBOUNDED.test(text)) {
    return null;
  }
  const integers = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, BigInt(value)]));
  let result: unknown;
  try {
    result = environment.evaluate(text, integers);
  } catch {
    return null;
  }
  return typeof result === 'bigint' && result >= 1n && result < MAX_PODS ? Number(result) : null;
}
