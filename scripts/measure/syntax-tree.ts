import { parseAst } from 'vitest/node';

/** A node of the syntax of a source, in the form of ESTree. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** @throws SyntaxError for what is no TypeScript. */
export const syntaxTree = (source: string): SyntaxNode => parseAst(source, { lang: 'ts' }) as unknown as SyntaxNode;

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

export const childrenOf = (node: SyntaxNode): readonly SyntaxNode[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode));
