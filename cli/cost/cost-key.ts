import { InvalidArgumentError } from 'commander';

/** Whose cost the rows of a breakdown are: of nodes, or of the pods on them. */
export type CostKey =
  | { readonly of: 'node-group' | 'node' | 'namespace' }
  | { readonly of: 'label'; readonly label: string };

const PLAIN_KEYS = ['namespace', 'node-group', 'node'] as const;

/** Reads `namespace`, `node-group`, `node`, or `label=KEY`. */
export function costKeyOf(text: string): CostKey {
  const plain = PLAIN_KEYS.find((one) => one === text);
  if (plain !== undefined) {
    return { of: plain };
  }
  if (text.startsWith('label=') && text.length > 'label='.length) {
    return { of: 'label', label: text.slice('label='.length) };
  }
  throw new InvalidArgumentError(`Expected ${PLAIN_KEYS.join(', ')}, or label=KEY, such as label=app.`);
}
